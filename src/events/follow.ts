import { setTimeout as delay } from 'node:timers/promises';
import type { SessionRef } from '../contracts/ids.ts';
import type { AgentEvent } from '../schema/event.ts';
import { StoreUnavailableError } from '../store/store.ts';
import type { Store } from '../store/store.ts';
import type { EventBus } from './event-bus.ts';

const batchSize = 200;
const maxPauseMs = 5_000;
/** A wake is lost when a writer dies between its commit and the wake: nobody waits longer than this for what is there. */
const recheckMs = 10_000;

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

/** Asks until the store answers; undefined once the signal aborts. */
async function untilAnswered<T>(ask: () => Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
  for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    if (signal?.aborted) return undefined;
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
    }
    await delay(pauseMs * (0.5 + Math.random() / 2), undefined, signal && { signal }).catch(() => {});
  }
}

/** Remembers that it was rung until it is reset, so that a ring during a read is not missed. Rings when the signal aborts. */
class Bell {
  readonly #signal: AbortSignal | undefined;
  #isRung = false;
  #wait: (() => void) | undefined;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
    signal?.addEventListener('abort', this.ring);
  }

  readonly ring = (): void => {
    this.#isRung = true;
    this.#wait?.();
  };

  reset(): void {
    this.#isRung = false;
  }

  async rung(withinMs: number): Promise<void> {
    if (this.#isRung) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#wait = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wait = undefined;
  }

  dispose(): void {
    this.#signal?.removeEventListener('abort', this.ring);
  }
}
