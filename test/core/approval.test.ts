import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { whyMayNotAnswer, type Actor, type ApprovalPolicy } from '../../src/core/approval.ts';

const rita: Actor = { id: 'rita' };
const sam: Actor = { id: 'sam', roles: ['accounting'] };
const anonymous = undefined;

/** Who may answer what `rita` asked for: `ok`, or words of the reason why not. */
const table: { policy: ApprovalPolicy | undefined; rita: string; sam: string; anonymous: string }[] = [
  { policy: undefined, rita: 'ok', sam: 'ok', anonymous: 'ok' },
  { policy: {}, rita: 'ok', sam: 'ok', anonymous: 'ok' },
  { policy: { by: 'anyone', count: 1 }, rita: 'ok', sam: 'ok', anonymous: 'ok' },
  { policy: { count: 2 }, rita: 'ok', sam: 'ok', anonymous: 'name an actor' },
  { policy: { by: 'requester' }, rita: 'ok', sam: '(rita)', anonymous: 'name an actor' },
  { policy: { by: 'not_requester' }, rita: 'who asked', sam: 'ok', anonymous: 'name an actor' },
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

describe('whyMayNotAnswer', () => {
  const cases = table.flatMap(({ policy, ...verdicts }) =>
    Object.entries(verdicts).map(([who, verdict]) => ({ policy, who, verdict })),
  );
  it.each(cases)('$policy: $who → $verdict', ({ policy, who, verdict }) => {
    const actor = { rita, sam, anonymous }[who];
    const why = whyMayNotAnswer(policy, actor, 'rita');
    if (verdict === 'ok') expect(why).toBeUndefined();
    else expect(why).toContain(verdict);
  });

  it('lets nobody pass as the requester, or as somebody else, while the requester is unknown', () => {
    expect(whyMayNotAnswer({ by: 'requester' }, rita, undefined)).toContain('unknown');
    expect(whyMayNotAnswer({ by: 'not_requester' }, rita, undefined)).toContain('is not known');
  });

  it('gives a role only to who has it: a person of that name has not', () => {
    expect(whyMayNotAnswer({ by: { roles: ['sam'] } }, sam, 'rita')).toBeDefined();
    expect(whyMayNotAnswer({ by: { people: ['accounting'] } }, sam, 'rita')).toBeDefined();
  });

  it('never lets requester and not_requester agree on somebody', () => {
    const people = fc.constantFrom('a', 'b', 'c');
    fc.assert(
      fc.property(people, people, (id, requester) => {
        const may = (by: 'requester' | 'not_requester') =>
          whyMayNotAnswer({ by }, { id }, requester) === undefined;
        expect(may('requester')).toBe(!may('not_requester'));
      }),
    );
  });
});
