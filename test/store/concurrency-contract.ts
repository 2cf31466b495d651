import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenStore } from '../../src/store/open-store.ts';
import type { AgentEvent } from '../../src/schema/event.ts';
import { allowedCall, newRef, openedTurn, result, step, textDelta, userMessage } from './sample-session.ts';
import type { StoreUnderTest } from './store-contract.ts';

const rounds = 40;

export function concurrencyContract(underTest: () => StoreUnderTest): void {
  describe('two writers at once', () => {
    let one: OpenStore;
    let other: OpenStore;
    beforeAll(async () => {
      one = underTest().opened;
      other = (await underTest().openAgain?.()) ?? one;
    });
    afterAll(async () => {
      if (other !== one) await other.close();
    });

    it('on one session leave no gap and no double, and a reader misses nothing', async () => {
      const ref = await openedTurn(one.store);
      const write = async (name: string, { store }: OpenStore): Promise<void> => {
        for (let i = 0; i < rounds; i++) {
          await store.messages.append(ref, [userMessage(`1/${name}/${i}`, name)]);
          await store.events.appendEphemeral(ref, 1, '1/1', [textDelta('1/1', name)]);
        }
      };
      const seen: AgentEvent[] = [];
      const total = 3 + 4 * rounds;
      const read = async (): Promise<void> => {
        while (seen.length < total) {
          seen.push(...(await one.store.events.read(ref, seen.at(-1)?.id ?? 0, 7)));
          // SQLite answers without leaving the microtasks: the writers' timers need their turn.
          await setImmediate();
        }
      };
      await Promise.all([write('one', one), write('other', other), read()]);

      expect(seen.map(({ id }) => id)).toEqual(Array.from({ length: total }, (_, i) => i + 1));
      expect(await other.store.events.read(ref, 0)).toEqual(seen);
      const seqs = (await one.store.messages.outline(ref, 1, 1_000)).map(({ seq }) => seq);
      expect(seqs).toEqual(Array.from({ length: 1 + 2 * rounds }, (_, i) => i + 1));
    });

    it('who commit the same step commit it once', async () => {
      const ref = await openedTurn(one.store);
      const commits = [one, other, one, other].map(({ store }, i) =>
        store.calls.commitStep(step(ref, 1, [allowedCall(`c${i}`)])),
      );
      const [first, ...rest] = await Promise.all(commits);
      for (const committed of rest) expect(committed).toEqual(first);
      expect((await one.store.sessions.get(ref))?.head).toBe(3);
    });

    it('who settle the same call settle it once', async () => {
      const ref = await openedTurn(one.store);
      await one.store.calls.commitStep(step(ref, 1, [allowedCall('c1')]));
      const [first, second] = await Promise.all([
        one.store.calls.settle(ref, 'c1', result('c1', 'one')),
        other.store.calls.settle(ref, 'c1', result('c1', 'other', 'error')),
      ]);
      expect(second).toEqual(first);
      expect(await one.store.events.read(ref, 3)).toHaveLength(1);
    });

    it('who open the same turn open it once', async () => {
      const ref = newRef();
      await Promise.all([one, other].map(({ store }) => openedTurn(store, ref)));
      expect(await one.store.sessions.get(ref)).toMatchObject({ head: 1, lastEventId: 3, lastTurn: 1 });
    });
  });
}
