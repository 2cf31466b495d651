import type { SessionRef } from '../contracts/ids.ts';

/**
 * Tells subscribers that a session has new events in the store. It carries no content: whoever is woken reads the store from its own
 * cursor, so that a lost or doubled wake does no harm.
 *
 * **Contract:** `wake` never throws and never blocks the writer. After `subscribe` has resolved, each later `wake` of that session, by
 * any process that shares the store, leads to a call of `onWake` (several wakes may lead to one).
 */
export interface EventBus {
  wake(ref: SessionRef): void;
  subscribe(ref: SessionRef, onWake: () => void): Promise<Subscription>;
  close(): Promise<void>;
}

export interface Subscription {
  unsubscribe(): void;
}
