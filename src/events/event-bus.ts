import type { SessionRef } from '../contracts/ids.ts';

/** A session, or, where none is named, all of the owner's. */
export type Watched = Pick<SessionRef, 'owner'> & Partial<SessionRef>;

/**
 * Tells subscribers that a session has new events in the store. It carries no content: whoever is woken reads the store from its own
 * cursor, so that a lost or doubled wake does no harm.
 *
 * **Contract:** `wake` never throws and never blocks the writer. After `subscribe` has resolved, each later `wake` of that session, or
 * of one of that owner's, by any process that shares the store, leads to a call of `onWake` (several wakes may lead to one).
 */
export interface EventBus {
  wake(ref: SessionRef): void;
  subscribe(watched: Watched, onWake: () => void): Promise<Subscription>;
  close(): Promise<void>;
}

export interface Subscription {
  unsubscribe(): void;
}
