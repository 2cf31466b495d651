import type { AgentEvent } from '../schema/event.ts';
import type { ApiConnection } from './api-connection.ts';
import { followStream, type StreamOptions } from './follow-stream.ts';

export interface FollowOptions extends StreamOptions {
  /** Id of the last event seen. */
  after?: number;
}

/**
 * Events at that path, in batches as they arrive, for as long as the signal lets it: a lost stream is resumed after the last event seen.
 *
 * @throws ApiError when the server refuses (and not only is away).
 */
export async function* followEvents(
  connection: ApiConnection,
  path: string,
  { after = 0, ...options }: FollowOptions,
): AsyncGenerator<AgentEvent[], void, void> {
  let last = after;
  const from = `${path}${path.includes('?') ? '&' : '?'}after=`;
  for await (const events of followStream<AgentEvent>(connection, () => `${from}${last}`, options)) {
    const fresh = events.filter(({ id }) => id > last);
    last = fresh.at(-1)?.id ?? last;
    if (fresh.length > 0) yield fresh;
  }
}
