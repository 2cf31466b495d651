import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callsOf, pairResults } from '../../src/core/pair-results.ts';
import type { Block, Msg } from '../../src/schema/message.ts';

let seq = 0;
function aMsg(role: Msg['role'], content: Block[]): Msg {
  seq += 1;
  return { id: `m${seq}`, seq, turn: 1, step: 1, role, content, createdAt: '2026-01-01T00:00:00.000Z' };
}
const user = (text: string) => aMsg('user', [{ type: 'text', id: 'b0', text }]);
const calling = (...ids: string[]) =>
  aMsg(
    'assistant',
    ids.map((id) => ({ type: 'tool_call' as const, id, name: 'look', arguments: '{}' })),
  );
const result = (id: string, text = 'found') =>
  aMsg('tool', [
    { type: 'tool_result', id, name: 'look', state: 'success', content: [{ type: 'text', id: 'b0', text }] },
  ]);

describe('pairResults', () => {
  it('orders results as their calls were declared', () => {
    const ask = calling('a', 'b');
    const [b, a] = [result('b'), result('a')];
    expect(pairResults([user('hi'), ask, b, a]).slice(1)).toEqual([ask, a, b]);
  });

  it('gives a call without a result one that says so', () => {
    const [, , made] = pairResults([user('hi'), calling('a')]);
    expect(made?.content).toMatchObject([{ type: 'tool_result', id: 'a', state: 'interrupted' }]);
  });

  it('leaves out a result whose call is gone, a second result, and messages that say nothing', () => {
    const [hi, ask, first] = [user('hi'), calling('a'), result('a', 'first')];
    const silent = aMsg('assistant', [{ type: 'thinking', id: 'b0', text: 'hm' }]);
    expect(pairResults([result('gone'), hi, ask, first, result('a', 'second'), silent])).toEqual([
      hi,
      ask,
      first,
    ]);
  });

  it('leaves exactly one result a call, right behind its message, in every context', () => {
    const callId = fc.integer({ min: 0, max: 8 }).map(String);
    const anyMsg = fc.oneof(
      fc.string().map(user),
      fc.uniqueArray(callId, { minLength: 1, maxLength: 4 }).map((ids) => ({ ids })),
      callId.map((id) => result(id)),
    );
    fc.assert(
      fc.property(fc.array(anyMsg), (drafts) => {
        // Call ids are unique in a transcript; results may be missing, double, misplaced or strays.
        const used = new Set<string>();
        const messages = drafts.flatMap((draft) => {
          if (!('ids' in draft)) return [draft];
          const ids = draft.ids.filter((id) => !used.has(id));
          ids.forEach((id) => used.add(id));
          return ids.length > 0 ? [calling(...ids)] : [];
        });
        const paired = pairResults(messages);
        for (let i = 0; i < paired.length; i += 1) {
          const calls = callsOf(paired[i] as Msg);
          const behind = paired.slice(i + 1, i + 1 + calls.length).map((msg) => msg.content[0]?.id);
          expect(behind).toEqual(calls.map(({ id }) => id));
          i += calls.length;
        }
        expect(paired.filter(({ role }) => role === 'tool')).toHaveLength(used.size);
      }),
    );
  });
});
