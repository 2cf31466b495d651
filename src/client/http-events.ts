import { setTimeout as delay } from 'node:timers/promises';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { AgentEvent } from '../schema/event.ts';
import type { EventOptions } from './client.ts';
import { DurascopeError } from './durascope-error.ts';
import { send, type HttpCall, type HttpContext } from './http-request.ts';

const firstPauseMs = 100;
const maxPauseMs = 5_000;

/**
 * Events of an address that streams them, each once and in order: where the connection breaks, or the server ends the stream, it comes back
 * with the id of the last one.
 *
 * @param isLast ends the iteration after that event.
 * @throws DurascopeError as `httpStream`.
 */
export async function* httpEvents(
  context: HttpContext,
  { path, owner }: { path: string; owner: string },
  { after = 0, signal }: EventOptions,
  isLast: (event: AgentEvent) => boolean = () => false,
): AsyncGenerator<AgentEvent, void, void> {
  let cursor = after;
  const from = { path, owner, query: () => ({ after: cursor }) };
  for await (const event of httpStream<AgentEvent>(context, from, signal)) {
    cursor = event.id;
    yield event;
    if (isLast(event) || signal?.aborted) return;
  }
}

/**
 * What an address streams as JSON, until the signal aborts: it comes back where the connection breaks, or the server ends the stream.
 *
 * @throws DurascopeError where the server refuses, and `server_unavailable` when it never answered.
 */
export async function* httpStream<T>(
  context: HttpContext,
  { path, owner, query = () => ({}) }: { path: string; owner: string; query?: () => HttpCall['query'] & {} },
  signal: AbortSignal | undefined,
): AsyncGenerator<T, void, void> {
  let hasAnswered = false;
  let pauseMs = firstPauseMs;
  // Closes the connection however the iteration ends.
  const abort = new AbortController();
  const onAbort = (): void => abort.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) onAbort();
  try {
    while (!abort.signal.aborted) {
      try {
        const response = await send(context, {
          path,
          owner,
          query: query(),
          headers: { accept: 'text/event-stream' },
          signal: abort.signal,
        });
        hasAnswered = true;
        for await (const message of messagesOf(response)) {
          pauseMs = firstPauseMs;
          yield JSON.parse(message.data) as T;
        }
      } catch (error) {
        if (abort.signal.aborted) return;
        if (error instanceof DurascopeError && !(hasAnswered && error.code === 'server_unavailable'))
          throw error;
      }
      await delay(pauseMs * (0.5 + Math.random() / 2), undefined, { signal: abort.signal }).catch(() => {});
      pauseMs = Math.min(pauseMs * 2, maxPauseMs);
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
    abort.abort();
  }
}

async function* messagesOf(response: Response): AsyncGenerator<EventSourceMessage, void, void> {
  const messages: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => messages.push(message) });
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* messages.splice(0);
  }
}
