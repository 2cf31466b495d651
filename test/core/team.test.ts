import { describe, expect, it } from 'vitest';
import { addMember, count, isSpent, recipientsOf, type Team, type TeamMember } from '../../src/core/team.ts';

const team: Team = {
  id: 't',
  name: 'press',
  description: 'Writes',
  leader: 'editor',
  members: [],
  limits: { members: 2, messages: 2, turns: 2 },
  counts: { messages: 0, turns: 0 },
  counted: {},
};
const member = (name: string, more: Partial<TeamMember> = {}): TeamMember => ({
  name,
  description: '',
  sessionId: `s.${name}`,
  agent: 'writer',
  role: 'created',
  key: `call-${name}`,
  ...more,
});
const withAnn = addMember(team, member('ann'));

describe('addMember', () => {
  it.each([
    ['a name with markup', '<b>', /letters, digits/],
    ['a name with a slash', 'a/b', /letters, digits/],
    ['an empty name', '', /letters, digits/],
    ['a name that is too long', 'a'.repeat(33), /letters, digits/],
    ['a name that means everybody', 'All', /meaning of its own/],
    ['the leader’s name', 'Editor', /there is a editor already/],
    ['a member’s name in other letters', 'ANN', /there is a ann already/],
    ['a name that stands for somebody above', 'boss', /there is a boss already/],
  ])('refuses %s', (_, name, why) => {
    expect(() => addMember(withAnn, member(name), ['boss'])).toThrow(why);
  });

  it('takes a repeat of the same call for what it is', () => {
    expect(addMember(withAnn, member('ann'))).toBe(withAnn);
  });

  it('refuses more than the limit, a session that is in it, and members when no turn is left', () => {
    const full = addMember(withAnn, member('bob'));
    expect(() => addMember(full, member('cid'))).toThrow(/2 members, which is its limit/);
    expect(() => addMember(withAnn, member('bob', { sessionId: 's.ann' }))).toThrow(/is a member already/);
    const spent = { ...withAnn, counts: { messages: 0, turns: 2 } };
    expect(() => addMember(spent, member('bob'))).toThrow(/budget of 2 turns/);
  });
});

describe('recipientsOf', () => {
  const both = addMember(withAnn, member('bob'));
  it.each([
    ['editor', undefined, ['ann', 'bob']],
    ['ann', undefined, ['editor', 'bob']],
    ['ann', 'bob', ['bob']],
    ['ann', 'Bob', ['bob']],
    ['ann', 'leader', ['editor']],
    ['editor', 'ann', ['ann']],
  ])('from %s to %s', (from, to, names) => {
    expect(recipientsOf(both, from, to)).toEqual(names);
  });

  it('names the members when a name is unknown, and refuses oneself and nobody', () => {
    expect(() => recipientsOf(both, 'ann', 'zoe')).toThrow(
      /no zoe in the team: its members are editor, ann, bob/,
    );
    expect(() => recipientsOf(both, 'ann', 'ann')).toThrow(/ann is you/);
    expect(() => recipientsOf(team, 'editor', undefined)).toThrow(/no members yet/);
  });
});

describe('count', () => {
  it('counts each key of a sender once, and messages no further than the budget', () => {
    const once = count(withAnn, 'messages', 'ann', 'c1');
    expect(count(once, 'messages', 'ann', 'c1')).toBe(once);
    const twice = count(once, 'messages', 'editor', 'c2');
    expect(twice.counts.messages).toBe(2);
    expect(isSpent(twice, 'messages')).toBe(true);
    expect(count(twice, 'messages', 'ann', 'c3')).toBe(twice);
  });
});
