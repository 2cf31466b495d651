import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { endProcess, hasEnded, spawnTied } from '../embedded/tied-process.ts';
import type { Flags } from '../settings/settings.ts';
import { FromWorker, type Loaded, type ToWorker } from './worker-messages.ts';

/** Running activities get ten seconds to end; the rest is for closing. */
const stopGraceMs = 15_000;

/** A worker process could not load its config, or not start. */
export class WorkerFailure extends Error {
  readonly code: string;
  /** The source files that were read until then. */
  readonly files: readonly string[];

  constructor(code: string, message: string, files: readonly string[]) {
    super(message);
    this.name = 'WorkerFailure';
    this.code = code;
    this.files = files;
  }
}

export interface WorkerProcess {
  pid: number | undefined;
  /** Says how it ended, however that came. */
  ended: Promise<string>;
  /** Loads the config. @throws WorkerFailure */
  load(flags: Flags): Promise<Loaded>;
  /** Polls; `address` is that of the embedded server, where the settings name none. @throws WorkerFailure */
  start(address: string | undefined, logLevel: 'WARN' | 'ERROR'): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a process that can load a config and run its worker, and that never outlives this one. What it prints goes to stderr. */
export function spawnWorker(): WorkerProcess {
  // Beside this file, which is TypeScript in the repository and JavaScript in the package.
  const script = fileURLToPath(import.meta.url).replace(/worker-process\.(\w+)$/, 'worker-child.$1');
  const child = spawnTied(process.execPath, [...process.execArgv, script], {
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal === null ? `with code ${code}` : `by ${signal}`));
  });
  // A command that is about to send must not die of a child that has just ended.
  child.on('error', () => {});
  return {
    pid: child.pid,
    ended,
    async load(flags) {
      const answer = await converse(child, { kind: 'load', flags: { ...flags } });
      if (answer.kind !== 'loaded') throw new WorkerFailure('Internal', `unexpected: ${answer.kind}`, []);
      return answer;
    },
    async start(address, logLevel) {
      await converse(child, { kind: 'start', logLevel, ...(address === undefined ? {} : { address }) });
    },
    stop: () => endProcess(child, { graceMs: stopGraceMs }),
  };
}

/** Sends a message and waits for the answer to it: there is one for each. */
function converse(child: ChildProcess, message: ToWorker): Promise<Exclude<FromWorker, { kind: 'failed' }>> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      child.off('message', onMessage);
      child.off('exit', onExit);
    };
    const onMessage = (received: unknown): void => {
      settle();
      const answer = FromWorker.parse(received);
      if (answer.kind === 'failed') reject(new WorkerFailure(answer.code, answer.message, answer.files));
      else resolve(answer);
    };
    const onExit = (): void => {
      settle();
      const how = child.signalCode === null ? `with code ${child.exitCode}` : `by ${child.signalCode}`;
      reject(new WorkerFailure('worker_ended', `The worker process ended ${how} while it started`, []));
    };
    child.on('message', onMessage);
    child.on('exit', onExit);
    if (hasEnded(child)) onExit();
    else child.send(message);
  });
}
