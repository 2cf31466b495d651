import type { SessionRef } from '../contracts/ids.ts';
import type { AgentEvent } from '../schema/event.ts';
import type { Store } from '../store/store.ts';
import { Bell, recheckMs } from './bell.ts';
import type { EventBus } from './event-bus.ts';
import { untilAnswered } from './until-answered.ts';

const batchSize = 200;

export interface FollowOptions {
  /** Id of the last event that was seen; default 0: from the start. */
  after?: number;
  /** Ends the iteration, without an error. */
  signal?: AbortSignal;
}

/**
 * Events of a session from a cursor on: those in the store, then live ones, in order, without gap or repeat. While the store does not
 * answer it waits and tries again.
 *
 * @example for await (const event of followEvents(store, bus, ref, { after: lastSeenId, signal })) render(event);
 */
export async function* followEvents(
  store: Pick<Store, 'events'>,
  bus: EventBus,
  ref: SessionRef,
  options: FollowOptions = {},
): AsyncGenerator<AgentEvent, void, void> {
  const { after = 0, signal } = options;
  const bell = new Bell(signal);
  let cursor = after;
  // Before the first read, so that what is committed between that read and the subscription still rings.
  const subscription = await untilAnswered(() => bus.subscribe(ref, bell.ring), signal);
  try {
    for (;;) {
      bell.reset();
      const batch = await untilAnswered(() => store.events.read(ref, cursor, batchSize), signal);
      if (!batch) return;
      for (const event of batch) {
        if (signal?.aborted) return;
        cursor = event.id;
        yield event;
      }
      if (batch.length < batchSize) await bell.rung(recheckMs);
    }
  } finally {
    subscription?.unsubscribe();
    bell.dispose();
  }
}
