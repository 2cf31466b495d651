import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planContext, type ContextEntry } from '../../src/core/context.ts';

const entry = (seq: number, role: ContextEntry['role'], tokens: number): ContextEntry => ({
  seq,
  role,
  tokens,
  turn: 1,
});
const budget = { contextTokens: 1000, fixedTokens: 100 };

describe('planContext', () => {
  it('keeps everything that fits', () => {
    expect(planContext([entry(1, 'user', 300), entry(2, 'assistant', 300)], budget)).toBe(1);
  });

  it('drops the oldest in bulk once the window is nearly full', () => {
    const entries = Array.from({ length: 10 }, (_, i) => entry(i + 1, 'user', 100));
    expect(planContext(entries, budget)).toBe(7);
  });

  it('never begins with a result', () => {
    const entries = [
      entry(1, 'user', 500),
      entry(2, 'assistant', 10),
      entry(3, 'tool', 300),
      entry(4, 'tool', 300),
    ];
    expect(planContext(entries, budget)).toBe(2);
  });

  it('keeps the newest message even when it alone is too large', () => {
    expect(
      planContext([entry(1, 'user', 10), entry(2, 'assistant', 10), entry(3, 'tool', 5000)], budget),
    ).toBe(2);
  });

  it('begins at a message that is no result, and is stable: planning again changes nothing', () => {
    const anyEntries = fc
      .array(
        fc.record({
          role: fc.constantFrom('user' as const, 'assistant' as const, 'tool' as const),
          tokens: fc.nat(400),
        }),
        {
          minLength: 1,
        },
      )
      .map((drafts) => [
        entry(0, 'user', 1),
        ...drafts.map(({ role, tokens }, i) => entry(i + 1, role, tokens)),
      ]);
    fc.assert(
      fc.property(anyEntries, (entries) => {
        const from = planContext(entries, budget);
        expect(entries.find(({ seq }) => seq === from)?.role).not.toBe('tool');
        const kept = entries.filter(({ seq }) => seq >= from);
        expect(planContext(kept, budget)).toBe(from);
      }),
    );
  });
});
