import { DefaultLogger, Runtime, type LogEntry, type LogLevel } from '@temporalio/worker';
import type { Json } from '../schema/message.ts';

export interface LogOptions {
  /** JSON lines, for programs that collect logs. */
  isJson: boolean;
  level: LogLevel;
  write: (line: string) => void;
}

/** Where a worker process's log goes. Signals stay ours: Temporal's own handlers would shut the worker down behind our back. */
export function installWorkerLog({ isJson, level, write }: LogOptions): DefaultLogger {
  const logger = new DefaultLogger(level, (entry) => write(isJson ? jsonLine(entry) : textLine(entry)));
  Runtime.install({
    logger,
    shutdownSignals: [],
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
  });
  return logger;
}

function textLine({ level, message, meta, timestampNanos }: LogEntry): string {
  const time = timeOf(timestampNanos).slice(11, 23);
  const { error, workflowId } = plainMeta(meta);
  const about = [workflowId, error]
    .filter((part) => typeof part === 'string')
    .map((part) => part.split('\n', 1)[0])
    .join(' · ');
  return `${time} ${level.toLowerCase().padEnd(5)} ${message}${about === '' ? '' : ` · ${about}`}`;
}

function jsonLine({ level, message, meta, timestampNanos }: LogEntry): string {
  return JSON.stringify({
    time: timeOf(timestampNanos),
    level: level.toLowerCase(),
    message,
    ...plainMeta(meta),
  });
}

function timeOf(nanos: bigint): string {
  return new Date(Number(nanos / 1_000_000n)).toISOString();
}

/** Errors become their text, and what JSON can't hold goes. */
function plainMeta(meta: LogEntry['meta']): Record<string, Json> {
  const text = JSON.stringify(meta ?? {}, (_, value: unknown) => {
    if (value instanceof Error) return value.stack ?? value.message;
    return typeof value === 'bigint' ? Number(value) : value;
  });
  return JSON.parse(text) as Record<string, Json>;
}
