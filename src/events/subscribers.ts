import type { SessionRef } from '../contracts/ids.ts';
import type { Subscription } from './event-bus.ts';

/** The subscribers of one process, by session. Each adapter of the bus has its own. */
export class Subscribers {
  readonly #bySession = new Map<string, { ref: SessionRef; callbacks: Set<() => void> }>();

  get isEmpty(): boolean {
    return this.#bySession.size === 0;
  }

  /** Sessions that somebody listens to. */
  refs(): SessionRef[] {
    return [...this.#bySession.values()].map((entry) => entry.ref);
  }

  /** @param onEmpty is called when the last of all has gone. */
  add(ref: SessionRef, onWake: () => void, onEmpty?: () => void): Subscription {
    const key = sessionKey(ref);
    const entry = this.#bySession.get(key) ?? { ref, callbacks: new Set() };
    this.#bySession.set(key, entry);
    // A function of its own for each subscription: one callback may subscribe twice.
    const callback = (): void => onWake();
    entry.callbacks.add(callback);
    return {
      unsubscribe: () => {
        if (!entry.callbacks.delete(callback) || entry.callbacks.size > 0) return;
        this.#bySession.delete(key);
        if (this.isEmpty) onEmpty?.();
      },
    };
  }

  wake(ref: SessionRef): void {
    this.wakeKey(sessionKey(ref));
  }

  wakeKey(key: string): void {
    // After the writer's own code, so that no subscriber holds it up or throws into it.
    for (const callback of this.#bySession.get(key)?.callbacks ?? []) queueMicrotask(callback);
  }

  wakeAll(): void {
    for (const key of this.#bySession.keys()) this.wakeKey(key);
  }
}

/** `owner/session`: neither part holds a slash. */
export function sessionKey(ref: SessionRef): string {
  return `${ref.owner}/${ref.sessionId}`;
}
