import type { Turn } from '../../client/client.ts';
import type { AgentEvent } from '../../schema/event.ts';

/**
 * A turn's events until it waits for somebody, or ends: what one answer to a front end holds. Pauses of the past, which were answered, are
 * passed over.
 *
 * @param after the id of an event: what came after it follows.
 */
export async function* untilPause(
  turn: Turn,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, void, void> {
  for await (const event of turn.events({ after, signal })) {
    yield event;
    if (event.path !== undefined || event.kind !== 'run_end') continue;
    const now = await turn.get();
    if (now?.state === 'waiting' && now.run === event.run) return;
  }
}
