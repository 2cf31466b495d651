import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isActorId,
  knownRequesters,
  votesNeeded,
  whyMayNotAnswer,
  withRequester,
  withRequesters,
  type Actor,
  type ApprovalPolicy,
  type Requesters,
} from '../../src/core/approval.ts';

const rita: Actor = { id: 'rita' };
const sam: Actor = { id: 'sam', roles: ['accounting'] };
const anonymous = undefined;
const asked = (...ids: (string | undefined)[]) =>
  ids.reduce<Requesters>(withRequester, { known: [], hasUnknown: false });

/** Who may answer what `rita` asked for: `ok`, or words of the reason why not. */
const table: { policy: ApprovalPolicy | undefined; rita: string; sam: string; anonymous: string }[] = [
  { policy: undefined, rita: 'ok', sam: 'ok', anonymous: 'ok' },
  { policy: {}, rita: 'ok', sam: 'ok', anonymous: 'ok' },
  { policy: { by: 'anyone', count: 1 }, rita: 'ok', sam: 'ok', anonymous: 'ok' },
  { policy: { count: 2 }, rita: 'ok', sam: 'ok', anonymous: 'name an actor' },
  { policy: { by: 'requester' }, rita: 'ok', sam: '(rita)', anonymous: 'name an actor' },
  { policy: { by: 'not_requester' }, rita: 'who asked', sam: 'ok', anonymous: 'name an actor' },
  { policy: { by: { people: ['Rita'] } }, rita: 'only Rita', sam: 'only Rita', anonymous: 'name an actor' },
  { policy: { by: { people: ['rita'] } }, rita: 'ok', sam: 'only rita', anonymous: 'name an actor' },
  {
    policy: { by: { roles: ['accounting'] } },
    rita: 'role accounting',
    sam: 'ok',
    anonymous: 'name an actor',
  },
  {
    policy: { by: { people: ['rita'], roles: ['accounting'] } },
    rita: 'ok',
    sam: 'ok',
    anonymous: 'name an actor',
  },
  {
    policy: { by: { people: ['boss'], roles: ['board', 'owner'] } },
    rita: 'only boss, role board, role owner may answer',
    sam: 'only boss',
    anonymous: 'name an actor',
  },
];

describe('isActorId', () => {
  it.each([
    ['ann', true],
    ['Ann B', true],
    ['', false],
    [' ann', false],
    ['ann\t', false],
    ['a'.repeat(201), false],
    [undefined, false],
    [7, false],
  ])('%j → %j', (id, isId) => {
    expect(isActorId(id)).toBe(isId);
  });
});

describe('whyMayNotAnswer', () => {
  const cases = table.flatMap(({ policy, ...verdicts }) =>
    Object.entries(verdicts).map(([who, verdict]) => ({ policy, who, verdict })),
  );
  it.each(cases)('$policy: $who → $verdict', ({ policy, who, verdict }) => {
    const actor = { rita, sam, anonymous }[who];
    const why = whyMayNotAnswer(policy, actor, asked('rita'));
    if (verdict === 'ok') expect(why).toBeUndefined();
    else expect(why).toContain(verdict);
  });

  it('compares names to the letter: another spelling is somebody else', () => {
    expect(whyMayNotAnswer({ by: 'requester' }, { id: 'Rita' }, asked('rita'))).toContain('(rita)');
    expect(whyMayNotAnswer({ by: 'not_requester' }, { id: 'Rita' }, asked('rita'))).toBeUndefined();
  });

  it('lets nobody pass as the requester, or as somebody else, while the requester is unknown', () => {
    expect(whyMayNotAnswer({ by: 'requester' }, rita, asked(undefined))).toContain('unknown');
    expect(whyMayNotAnswer({ by: 'not_requester' }, rita, asked(undefined))).toContain('without a name');
  });

  it('counts whoever wrote into the turn as a requester', () => {
    const both = asked('rita', 'sam', 'rita');
    expect(both.known).toEqual(['rita', 'sam']);
    for (const person of [rita, sam]) {
      expect(whyMayNotAnswer({ by: 'requester' }, person, both)).toBeUndefined();
      expect(whyMayNotAnswer({ by: 'not_requester' }, person, both)).toContain('who asked for it may not');
    }
    expect(whyMayNotAnswer({ by: 'requester' }, { id: 'tom' }, both)).toContain(
      'only who asked for it (rita, sam)',
    );
    expect(whyMayNotAnswer({ by: 'not_requester' }, { id: 'tom' }, both)).toBeUndefined();
  });

  it('when one of several wrote without a name, takes known requesters only, and nobody as somebody else', () => {
    const some = asked('rita', undefined);
    expect(whyMayNotAnswer({ by: 'requester' }, rita, some)).toBeUndefined();
    expect(whyMayNotAnswer({ by: 'requester' }, sam, some)).toContain('(rita)');
    expect(whyMayNotAnswer({ by: 'not_requester' }, sam, some)).toContain('not all who did are known');
  });

  it('joins requesters, and does not know all of them where one side does not, or where they are too many', () => {
    const [some, more] = [asked('rita', 'sam'), asked('sam', 'tom')];
    expect(withRequesters(some, more)).toEqual({ known: ['rita', 'sam', 'tom'], hasUnknown: false });
    expect(withRequesters(some, undefined)).toEqual({ ...some, hasUnknown: true });
    expect(withRequesters(some, asked('tom', undefined)).hasUnknown).toBe(true);
    const crowd = Array.from({ length: knownRequesters }, (_, i) => `p${i}`);
    expect(asked(...crowd).hasUnknown).toBe(false);
    expect(withRequesters(asked(...crowd), some)).toEqual({ known: crowd, hasUnknown: true });
  });

  it('gives a role only to who has it: a person of that name has not', () => {
    expect(whyMayNotAnswer({ by: { roles: ['sam'] } }, sam, asked('rita'))).toBeDefined();
    expect(whyMayNotAnswer({ by: { people: ['accounting'] } }, sam, asked('rita'))).toBeDefined();
  });

  it('never lets requester and not_requester agree on somebody', () => {
    const people = fc.constantFrom('a', 'b', 'c');
    fc.assert(
      fc.property(people, people, (id, requester) => {
        const may = (by: 'requester' | 'not_requester') =>
          whyMayNotAnswer({ by }, { id }, asked(requester)) === undefined;
        expect(may('requester')).toBe(!may('not_requester'));
      }),
    );
  });
});

describe('votesNeeded', () => {
  it.each([
    { policy: undefined, isEdited: true, needed: 1 },
    { policy: { count: 2 }, isEdited: false, needed: 2 },
    { policy: { count: 2 }, isEdited: true, needed: 2 },
    { policy: { by: 'requester' }, isEdited: true, needed: 1 },
    { policy: { by: 'not_requester' }, isEdited: false, needed: 1 },
    { policy: { by: 'not_requester' }, isEdited: true, needed: 2 },
    { policy: { by: 'not_requester', count: 2 }, isEdited: true, needed: 3 },
  ] satisfies { policy: ApprovalPolicy | undefined; isEdited: boolean; needed: number }[])(
    '$policy, edited $isEdited → $needed',
    ({ policy, isEdited, needed }) => expect(votesNeeded(policy, isEdited)).toBe(needed),
  );
});
