import { describe, expect, it } from 'vitest';
import type { MsgDraft, Store } from '../../src/store/store.ts';
import { newRef, openedTurn, userMessage } from './sample-session.ts';

export function messageContract(store: () => Store): void {
  describe('messages', () => {
    it('take the next seqs in order, each with an event that carries it', async () => {
      const ref = await openedTurn(store());
      const hint: MsgDraft = {
        ...userMessage('1/hint', ''),
        content: [{ type: 'hint', id: 'b0', text: 'tasks are open', source: 'runtime' }],
      };
      const placed = await store().messages.append(ref, [userMessage('1/steer/a', 'use euros'), hint]);
      expect(placed.map(({ id, seq }) => [id, seq])).toEqual([
        ['1/steer/a', 2],
        ['1/hint', 3],
      ]);
      expect(await store().events.read(ref, 3)).toMatchObject([
        { kind: 'input', id: 4, message: placed[0] },
        { kind: 'hint', id: 5, messageId: '1/hint', blockId: 'b0', message: placed[1] },
      ]);
    });

    it('are appended once, and answered as they were committed', async () => {
      const ref = await openedTurn(store());
      const [first] = await store().messages.append(ref, [userMessage('1/steer/a', 'first')]);
      const again = await store().messages.append(ref, [
        userMessage('1/steer/a', 'changed'),
        userMessage('1/steer/b', 'new'),
        userMessage('1/steer/b', 'twice in one call'),
      ]);
      expect(again.map(({ seq }) => seq)).toEqual([2, 3, 3]);
      expect(again[0]).toEqual(first);
      expect((await store().sessions.get(ref))?.head).toBe(3);
    });

    it('come back byte for byte, whatever they hold', async () => {
      const ref = await openedTurn(store());
      const odd: MsgDraft = {
        ...userMessage('1/odd', 'NUL \u0000, lone \ud800 surrogate, 漢字, 👩‍👩‍👧, \\u0000, "quotes"'),
        name: 'Ada',
        model: 'test/model',
        usage: { inputTokens: 1, outputTokens: 2, cachedInputTokens: 3, reasoningTokens: 4 },
      };
      const [placed] = await store().messages.append(ref, [odd]);
      expect(await store().messages.get(ref, '1/odd')).toEqual({ ...odd, seq: 2 });
      expect(placed).toEqual({ ...odd, seq: 2 });
    });

    it('are read by range, and outlined without their content', async () => {
      const ref = await openedTurn(store());
      await store().messages.append(
        ref,
        [1, 2, 3, 4].map((i) => userMessage(`1/m${i}`, 'é'.repeat(i))),
      );
      const range = await store().messages.range(ref, 2, 4);
      expect(range.map(({ id }) => id)).toEqual(['1/m1', '1/m2', '1/m3']);
      expect(await store().messages.outline(ref, 2, 4)).toEqual(
        range.map(({ seq, turn, role, content }) => ({
          seq,
          turn,
          role,
          tokens: Math.ceil(Buffer.byteLength(JSON.stringify(content)) / 4),
        })),
      );
    });

    it('are listed in pages, in order, and the last page says so even when it is full', async () => {
      const ref = await openedTurn(store());
      await store().messages.append(
        ref,
        ['a', 'b', 'c'].map((id) => userMessage(`1/${id}`, id)),
      );
      const first = await store().messages.list(ref, { limit: 2 });
      const rest = await store().messages.list(ref, { limit: 2, cursor: first.nextCursor! });
      expect([...first.items, ...rest.items].map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
      expect(rest.nextCursor).toBeUndefined();
      const newest = await store().messages.list(ref, { limit: 3, order: 'newest' });
      const before = await store().messages.list(ref, { cursor: newest.nextCursor!, order: 'newest' });
      expect([newest, before].map(({ items }) => items.map(({ seq }) => seq))).toEqual([[4, 3, 2], [1]]);
    });

    it('of a session that is not there are none', async () => {
      const ref = newRef();
      expect(await store().messages.range(ref, 1, 100)).toEqual([]);
      expect(await store().messages.get(ref, '1/input')).toBeUndefined();
    });

    it('may come by the thousand in one call', async () => {
      const ref = await openedTurn(store());
      const drafts = Array.from({ length: 2_500 }, (_, i) => userMessage(`1/m${i}`, 'x'));
      await store().messages.append(ref, drafts);
      expect(await store().messages.outline(ref, 1, 10_000)).toHaveLength(2_501);
    });
  });
}
