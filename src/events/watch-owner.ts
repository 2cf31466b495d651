import { setTimeout as delay } from 'node:timers/promises';
import { Bell, recheckMs } from './bell.ts';
import type { EventBus } from './event-bus.ts';
import { untilAnswered } from './until-answered.ts';

/** A turn that streams rings at each piece of its text: what an owner has is read a few times a second at most. */
const quietMs = 150;

/**
 * What `read` answers now, and again each time that it is another: read when one of the owner's sessions has news, until the signal aborts. It
 * is a state, not a log: who was away misses nothing that is still so.
 */
export async function* watchOwner<T>(
  bus: EventBus,
  owner: string,
  read: () => Promise<T>,
  signal?: AbortSignal,
): AsyncGenerator<T, void, void> {
  const bell = new Bell(signal);
  // Before the first read, so that what is committed between that read and the subscription still rings.
  const subscription = await untilAnswered(() => bus.subscribe({ owner }, bell.ring), signal);
  let last: string | undefined;
  try {
    for (;;) {
      bell.reset();
      const now = await untilAnswered(read, signal);
      if (now === undefined || signal?.aborted) return;
      const text = JSON.stringify(now);
      if (text !== last) yield now;
      last = text;
      await bell.rung(recheckMs);
      await delay(quietMs, undefined, signal && { signal }).catch(() => {});
    }
  } finally {
    subscription?.unsubscribe();
    bell.dispose();
  }
}
