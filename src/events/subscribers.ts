import type { SessionRef } from '../contracts/ids.ts';
import type { Subscription, Watched } from './event-bus.ts';

/** The subscribers of one process, by session or owner. Each adapter of the bus has its own. */
export class Subscribers {
  readonly #byKey = new Map<string, { watched: Watched; callbacks: Set<() => void> }>();

  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  /** What somebody listens to. */
  watched(): Watched[] {
    return [...this.#byKey.values()].map((entry) => entry.watched);
  }

  /** @param onEmpty is called when the last of all has gone. */
  add(watched: Watched, onWake: () => void, onEmpty?: () => void): Subscription {
    const { owner, sessionId } = watched;
    const key = sessionId === undefined ? owner : sessionKey({ owner, sessionId });
    const entry = this.#byKey.get(key) ?? { watched, callbacks: new Set() };
    this.#byKey.set(key, entry);
    // A function of its own for each subscription: one callback may subscribe twice.
    const callback = (): void => onWake();
    entry.callbacks.add(callback);
    return {
      unsubscribe: () => {
        if (!entry.callbacks.delete(callback) || entry.callbacks.size > 0) return;
        this.#byKey.delete(key);
        if (this.isEmpty) onEmpty?.();
      },
    };
  }

  wake(ref: SessionRef): void {
    this.wakeKey(sessionKey(ref));
  }

  /** @param key of a session: who listens to its owner is woken too. */
  wakeKey(key: string): void {
    this.#ring(key);
    this.wakeOwner(key.slice(0, key.indexOf('/')));
  }

  /** Those who listen to all of the owner's sessions. */
  wakeOwner(owner: string): void {
    this.#ring(owner);
  }

  wakeAll(): void {
    for (const key of this.#byKey.keys()) this.#ring(key);
  }

  #ring(key: string): void {
    // After the writer's own code, so that no subscriber holds it up or throws into it.
    for (const callback of this.#byKey.get(key)?.callbacks ?? []) queueMicrotask(callback);
  }
}

/** `owner/session`: neither part holds a slash. */
export function sessionKey(ref: SessionRef): string {
  return `${ref.owner}/${ref.sessionId}`;
}
