import { describe, expect, it } from 'vitest';
import { headOf } from '../../src/core/head-of.ts';

describe('headOf', () => {
  it.each([
    ['abc', 2, 'ab'],
    ['a🙂b', 1, 'a'],
    ['a🙂b', 2, 'a'],
    ['a🙂b', 3, 'a🙂'],
    ['a🙂', 9, 'a🙂'],
    ['', 2, ''],
  ])('of %j, %i characters, is %j', (text, length, head) => {
    expect(headOf(text, length)).toBe(head);
  });
});
