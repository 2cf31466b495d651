import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planBatches } from '../../src/core/tool-batch.ts';

const safe = { concurrencySafe: true };
const unsafe = { concurrencySafe: false };

describe('planBatches', () => {
  it('puts neighbours that are safe side by side, and lets an unsafe call stand alone between them', () => {
    expect(planBatches([safe, safe, unsafe, safe, unsafe, unsafe])).toEqual([
      [safe, safe],
      [unsafe],
      [safe],
      [unsafe],
      [unsafe],
    ]);
  });

  it('keeps every call once, in order, and never parts safe neighbours', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ concurrencySafe: fc.boolean() })), (calls) => {
        const batches = planBatches(calls);
        expect(batches.flat()).toEqual(calls);
        for (const [i, batch] of batches.entries()) {
          expect(batch.length === 1 || batch.every(({ concurrencySafe }) => concurrencySafe)).toBe(true);
          const next = batches[i + 1];
          if (next) expect(batch.at(-1)?.concurrencySafe && next[0]?.concurrencySafe).toBe(false);
        }
      }),
    );
  });
});
