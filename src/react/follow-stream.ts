import { createParser } from 'eventsource-parser';
import { ApiError } from './api-error.ts';
import type { ApiConnection } from './api-connection.ts';

export interface StreamOptions {
  signal: AbortSignal;
  /** Told when the stream is there, and when it was lost and is tried again. */
  onConnection?: (state: 'live' | 'lost') => void;
}

/** The server comments every 15 seconds: a stream that is silent for longer is dead, whatever the network says. */
const silentMs = 40_000;
const shortestPauseMs = 300;
const longestPauseMs = 5_000;

/**
 * What a path streams as JSON, in batches as it arrives, for as long as the signal lets it; a lost stream is opened again.
 *
 * @param pathNow asked each time that it is opened.
 * @throws ApiError when the server refuses (and not only is away).
 */
export async function* followStream<T>(
  connection: ApiConnection,
  pathNow: () => string,
  { signal, onConnection }: StreamOptions,
): AsyncGenerator<T[], void, void> {
  let failures = 0;
  while (!signal.aborted) {
    try {
      yield* readStream<T>(connection, pathNow(), signal, () => {
        failures = 0;
        onConnection?.('live');
      });
    } catch (error) {
      if (error instanceof ApiError && !error.isPassing) throw error;
    }
    if (signal.aborted) return;
    onConnection?.('lost');
    await pause(Math.min(longestPauseMs, shortestPauseMs * 2 ** failures), signal);
    failures += 1;
  }
}

async function* readStream<T>(
  connection: ApiConnection,
  path: string,
  signal: AbortSignal,
  onOpen: () => void,
): AsyncGenerator<T[], void, void> {
  const silence = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hears = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), silentMs);
  };
  hears();
  let batch: T[] = [];
  const parser = createParser({ onEvent: ({ data }) => batch.push(JSON.parse(data) as T) });
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
