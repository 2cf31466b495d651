import { describe, expect, it } from 'vitest';
import type { EventBus } from '../../src/events/event-bus.ts';
import { newRef } from '../store/sample-session.ts';
import { listenTo } from './listen.ts';

/** The promises of the port within one process. */
export function busContract(name: string, bus: () => EventBus): void {
  describe(`the bus on ${name}`, () => {
    it('wakes every subscriber of a session, and none of another', async () => {
      const ref = newRef();
      const [one, two, other] = [
        await listenTo(bus(), ref),
        await listenTo(bus(), ref),
        await listenTo(bus(), newRef()),
      ];
      bus().wake(ref);
      await Promise.all([one.woken(), two.woken()]);
      expect(other.count).toBe(0);
      for (const listener of [one, two, other]) listener.unsubscribe();
    });

    it('wakes who listens to all sessions of an owner, and nobody of another owner', async () => {
      const ref = newRef();
      const [all, other] = [
        await listenTo(bus(), { owner: ref.owner }),
        await listenTo(bus(), { owner: `${ref.owner}-2` }),
      ];
      bus().wake(ref);
      await all.woken();
      expect(other.count).toBe(0);
      for (const listener of [all, other]) listener.unsubscribe();
    });

    it('wakes nobody who has unsubscribed, and lets nobody unsubscribe for another', async () => {
      const ref = newRef();
      const [gone, stays] = [await listenTo(bus(), ref), await listenTo(bus(), ref)];
      gone.unsubscribe();
      gone.unsubscribe();
      bus().wake(ref);
      await stays.woken();
      expect(gone.count).toBe(0);
      stays.unsubscribe();
    });

    it('neither throws into the writer nor holds it up', async () => {
      const ref = newRef();
      let isWriterDone = false;
      const woken = new Promise<boolean>((resolve) => {
        void bus().subscribe(ref, () => resolve(isWriterDone));
      });
      bus().wake(newRef());
      await Promise.resolve();
      bus().wake(ref);
      isWriterDone = true;
      expect(await woken).toBe(true);
    });
  });
}
