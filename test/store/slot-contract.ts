import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/schema/message.ts';
import type { Store } from '../../src/store/store.ts';
import { kindsOf, newRef, openedTurn } from './sample-session.ts';

export function slotContract(store: () => Store): void {
  const put = (ref: ReturnType<typeof newRef>, name: string, value: Json | undefined) =>
    store().slots.update(ref, name, () => ({ value }));

  describe('slots', () => {
    it('are absent at first, keep any JSON value under their names, and go away', async () => {
      const ref = await openedTurn(store());
      expect(await store().slots.get(ref, 'groups')).toBeUndefined();
      expect(await put(ref, 'groups', ['mail'])).toEqual(['mail']);
      expect(await put(ref, 'tasks', { 1: { title: 'a\u0000b\ud800' } })).toEqual({
        1: { title: 'a\u0000b\ud800' },
      });
      expect(await store().slots.all(ref)).toEqual({
        groups: ['mail'],
        tasks: { 1: { title: 'a\u0000b\ud800' } },
      });
      expect(await put(ref, 'groups', undefined)).toBeUndefined();
      expect(await store().slots.get(ref, 'groups')).toBeUndefined();
    });

    it('lose nothing to changes at once', async () => {
      const ref = await openedTurn(store());
      const add = (i: number) =>
        store().slots.update(ref, 'list', (now) => ({
          value: [...((now as number[] | undefined) ?? []), i],
        }));
      await Promise.all(Array.from({ length: 20 }, (_, i) => add(i)));
      const list = (await store().slots.get(ref, 'list')) as number[];
      expect(list.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    });

    it('are their own session’s', async () => {
      const [one, other] = [await openedTurn(store()), await openedTurn(store())];
      await put(one, 'groups', ['mail']);
      expect(await store().slots.all(other)).toEqual({});
      await expect(put(newRef(), 'groups', [])).rejects.toThrow('is not in the store');
    });

    it('change with their events, or not at all', async () => {
      const ref = await openedTurn(store());
      const events = { turn: 1, bodies: [{ kind: 'team_message' as const, from: 'ann', text: 'hi' }] };
      await store().slots.update(ref, 'tasks', () => ({ value: 1, events }));
      expect(await kindsOf(store(), ref, 3)).toEqual(['team_message']);
      await expect(
        store().slots.update(ref, 'tasks', () => {
          throw new Error('no');
        }),
      ).rejects.toThrow('no');
      expect(await store().slots.get(ref, 'tasks')).toBe(1);
    });
  });
}
