import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { branch, fanOut, loop, parallel, pipeline } from '../../src/workflows/steps.ts';
import { Latch } from '../support/latch.ts';

const adds = (text: string) => async (input: string) => `${input}${text}`;

describe('steps', () => {
  it('in a pipeline run in order, each with the answer before it', async () => {
    expect(await pipeline([adds('b'), adds('c'), adds('d')])('a')).toBe('abcd');
  });

  it('in parallel get the same input, and answer in their own order', async () => {
    const slow = new Latch();
    const run = parallel([async (input: string) => (await slow.promise, `${input}1`), adds('2')])('x');
    slow.open();
    expect(await run).toEqual(['x1', 'x2']);
  });

  it('of a branch run as the predicate says', async () => {
    const either = branch(async (input: string) => input === 'x', adds('1'), adds('2'));
    expect([await either('x'), await either('y')]).toEqual(['x1', 'y2']);
    expect(await branch((input: string) => input === 'x', adds('1'))('y')).toBe('y');
  });

  it('of a loop run until it is content, or the limit is reached', async () => {
    expect(await loop(adds('!'), { limit: 5, until: (answer) => answer.length >= 3 })('a')).toBe('a!!');
    expect(await loop(adds('!'), { limit: 2, until: () => false })('a')).toBe('a!!');
    expect(() => loop(adds('!'), { limit: 0, until: () => true })).toThrow('limit is 0');
  });
});

describe('a fan-out', () => {
  it('keeps to its concurrency, and to the order of the items', async () => {
    const begun: number[] = [];
    const latches = Array.from({ length: 5 }, () => new Latch());
    const run = fanOut(
      async (item: string, index) => {
        begun.push(index);
        await latches[index]?.promise;
        return item.toUpperCase();
      },
      { concurrency: 2 },
    )(['a', 'b', 'c', 'd', 'e']);
    expect(begun).toEqual([0, 1]);
    latches[1]?.open();
    await latches[1]?.promise;
    await new Promise(setImmediate);
    expect(begun).toEqual([0, 1, 2]);
    for (const latch of latches) latch.open();
    expect((await run).map((one) => one.isDone && one.value)).toEqual(['A', 'B', 'C', 'D', 'E']);
  });

  it('reports the items that failed, and goes on with the others', async () => {
    const outcomes = await fanOut(
      async (item: string) => {
        if (item === 'b') throw ApplicationFailure.nonRetryable('no such b');
        return item;
      },
      { concurrency: 1 },
    )(['a', 'b', 'c']);
    expect(outcomes).toMatchObject([
      { isDone: true, value: 'a' },
      { isDone: false, error: { message: 'no such b' } },
      { isDone: true, value: 'c' },
    ]);
  });

  it('ends as a whole when it is cancelled, and on a mistake in its step', async () => {
    const cancelled = fanOut(async () => Promise.reject(new CancelledFailure('stop')), { concurrency: 2 });
    await expect(cancelled([1, 2, 3])).rejects.toThrow('stop');
    const broken = fanOut(async () => Promise.reject(new TypeError('undefined is not')), { concurrency: 2 });
    await expect(broken([1])).rejects.toThrow('undefined is not');
  });

  it('of no items is done at once', async () => {
    expect(await fanOut(adds('x'), { concurrency: 3 })([])).toEqual([]);
  });
});
