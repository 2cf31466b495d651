import type { EventBus, Watched } from '../../src/events/event-bus.ts';

export interface Listener {
  /** Wakes so far. */
  readonly count: number;
  /** The next wake from now on; one that came before the call and was not waited for counts too. */
  woken(): Promise<void>;
  unsubscribe(): void;
}

export async function listenTo(bus: EventBus, watched: Watched): Promise<Listener> {
  let count = 0;
  let taken = 0;
  let onWake = (): void => {};
  const subscription = await bus.subscribe(watched, () => {
    count += 1;
    onWake();
  });
  return {
    get count() {
      return count;
    },
    async woken() {
      if (count === taken) await new Promise<void>((resolve) => (onWake = resolve));
      taken = count;
    },
    unsubscribe: () => subscription.unsubscribe(),
  };
}
