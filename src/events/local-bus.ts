import type { SessionRef } from '../contracts/ids.ts';
import type { EventBus, Subscription, Watched } from './event-bus.ts';
import { Subscribers } from './subscribers.ts';

/** For a store that one process has for itself. */
export class LocalBus implements EventBus {
  readonly #subscribers = new Subscribers();

  wake(ref: SessionRef): void {
    this.#subscribers.wake(ref);
  }

  async subscribe(watched: Watched, onWake: () => void): Promise<Subscription> {
    return this.#subscribers.add(watched, onWake);
  }

  async close(): Promise<void> {}
}
