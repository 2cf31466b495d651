import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { closeTurn, newRef, openedTurn } from './sample-session.ts';

const aKey = (owner: string, id: string) => ({
  id,
  owner,
  hash: 'a1b2',
  name: 'ann',
  scopes: ['read'],
  roles: ['accounting'],
});

/** What the HTTP API keeps. */
export function serviceContract(store: () => Store): void {
  describe('API keys', () => {
    it('are kept with their hash, listed without it, and noted as used', async () => {
      const { owner } = newRef();
      const made = await store().apiKeys.create({
        ...aKey(owner, `${owner}-1`),
        expiresAt: '2030-01-01T00:00:00.000Z',
      });
      expect(made).toMatchObject({ owner, name: 'ann', scopes: ['read'], roles: ['accounting'] });
      expect(await store().apiKeys.get(made.id)).toEqual({ ...made, hash: 'a1b2' });
      expect(await store().apiKeys.get('none')).toBeUndefined();
      await store().apiKeys.touch(made.id, '2026-01-01T00:00:00.000Z');
      const { items } = await store().apiKeys.list(owner, {});
      expect(items).toEqual([{ ...made, lastUsedAt: '2026-01-01T00:00:00.000Z' }]);
      expect(await store().apiKeys.hasAny()).toBe(true);
    });

    it('are listed page by page, each owner’s by itself', async () => {
      const { owner } = newRef();
      for (const n of [1, 2, 3]) await store().apiKeys.create(aKey(owner, `${owner}-${n}`));
      const first = await store().apiKeys.list(owner, { limit: 2 });
      const rest = await store().apiKeys.list(owner, { limit: 2, cursor: first.nextCursor! });
      expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(
        [1, 2, 3].map((n) => `${owner}-${n}`),
      );
      expect((await store().apiKeys.list(newRef().owner, {})).items).toEqual([]);
    });

    it('are revoked by their owner only, once', async () => {
      const { owner } = newRef();
      const { id } = await store().apiKeys.create(aKey(owner, `${owner}-1`));
      expect(await store().apiKeys.revoke('somebody', id)).toBeUndefined();
      const revoked = await store().apiKeys.revoke(owner, id);
      expect(revoked?.revokedAt).toBeDefined();
      expect(await store().apiKeys.revoke(owner, id)).toEqual(revoked);
    });
  });

  describe('usage', () => {
    it('adds up by day and agent as turns end, each turn once, and outlives the session', async () => {
      const ref = await openedTurn(store());
      await closeTurn(store(), ref, 1);
      await closeTurn(store(), ref, 1);
      const other = await openedTurn(store(), { ...ref, sessionId: 'other' });
      await closeTurn(store(), other, 1);
      await store().sessions.erase(ref);
      const today = new Date().toISOString().slice(0, 10);
      const days = await store().usage.list(ref.owner, '2020-01-01', today);
      expect(days).toHaveLength(1);
      expect(days[0]).toMatchObject({ day: today, turns: 2 });
      expect(days[0]?.usage.inputTokens).toBeGreaterThan(0);
      expect(await store().usage.list(ref.owner, '2020-01-01', '2020-12-31')).toEqual([]);
      expect(await store().usage.list('somebody', '2020-01-01', today)).toEqual([]);
    });
  });
}
