import { createParser } from 'eventsource-parser';
import type { AgentEvent } from '../schema/event.ts';
import { ApiError } from './api-error.ts';
import type { ApiConnection } from './api-connection.ts';

export interface FollowOptions {
  /** Id of the last event seen. */
  after?: number;
  signal: AbortSignal;
  /** Told when the stream is there, and when it was lost and is tried again. */
  onConnection?: (state: 'live' | 'lost') => void;
}

/** The server comments every 15 seconds: a stream that is silent for longer is dead, whatever the network says. */
const silentMs = 40_000;
const shortestPauseMs = 300;
const longestPauseMs = 5_000;

/**
 * Events at that path, in batches as they arrive, for as long as the signal lets it: a lost stream is resumed after the last event seen.
 *
 * @throws ApiError when the server refuses (and not only is away).
 */
export async function* followEvents(
  connection: ApiConnection,
  path: string,
  { after = 0, signal, onConnection }: FollowOptions,
): AsyncGenerator<AgentEvent[], void, void> {
  let last = after;
  let failures = 0;
  while (!signal.aborted) {
    try {
      for await (const events of readStream(connection, `${path}?after=${last}`, signal, () => {
        failures = 0;
        onConnection?.('live');
      })) {
        const fresh = events.filter(({ id }) => id > last);
        last = fresh.at(-1)?.id ?? last;
        if (fresh.length > 0) yield fresh;
      }
    } catch (error) {
      if (error instanceof ApiError && !error.isPassing) throw error;
    }
    if (signal.aborted) return;
    onConnection?.('lost');
    await pause(Math.min(longestPauseMs, shortestPauseMs * 2 ** failures), signal);
    failures += 1;
  }
}

async function* readStream(
  connection: ApiConnection,
  path: string,
  signal: AbortSignal,
  onOpen: () => void,
): AsyncGenerator<AgentEvent[], void, void> {
  const silence = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hears = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), silentMs);
  };
  hears();
  let batch: AgentEvent[] = [];
  const parser = createParser({ onEvent: ({ data }) => batch.push(JSON.parse(data) as AgentEvent) });
  try {
    const response = await connection.send(path, { signal: AbortSignal.any([signal, silence.signal]) });
    onOpen();
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    if (!reader) return;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      hears();
      parser.feed(value);
      if (batch.length === 0) continue;
      yield batch;
      batch = [];
    }
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

/** Ends early when the signal aborts. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
