import { describe, expect, it } from 'vitest';
import { isValidId } from '../../src/contracts/ids.ts';
import { childSessionId, isRelayed, narrowest } from '../../src/core/lineage.ts';

describe('the session id of a child', () => {
  it('names its parent', () => {
    expect(childSessionId('case-42', 'researcher')).toBe('case-42.researcher');
  });

  it('is one that may be an id, whatever the name holds', () => {
    for (const name of ['a b/c', '<x>', 'é', '', '🙂'])
      expect(isValidId(childSessionId('case-42', name))).toBe(true);
  });

  it('stays an id at any depth, the same for the same and another for another', () => {
    const deep = (leaf: string) =>
      Array.from({ length: 30 }, (_, i) => `worker-${i}`).reduce(childSessionId, 'case-42') + leaf;
    const ids = ['a', 'b', 'a'].map((leaf) => childSessionId(deep(''), leaf.repeat(100)));
    for (const id of ids) expect(isValidId(id)).toBe(true);
    expect(ids[0]).toBe(ids[2]);
    expect(ids[0]).not.toBe(ids[1]);
    expect(childSessionId('x'.repeat(128), 'end')).toMatch(/\.x+\.end$/);
  });
});

describe('what an ancestor sees', () => {
  it('is all, or what a leader has to know', () => {
    expect(isRelayed('all', 'text_delta')).toBe(true);
    expect(isRelayed('gates', 'text_delta')).toBe(false);
    expect(isRelayed('gates', 'require_user_confirm')).toBe(true);
  });

  it('is no more than each link lets through', () => {
    expect(narrowest('all', 'all')).toBe('all');
    expect(narrowest('all', 'gates', 'all')).toBe('gates');
  });
});
