import { describe, expect, it } from 'vitest';
import type { GateAnswer, GateOutcome, ModelDigest } from '../../src/contracts/activities.ts';
import type { Confirmation, TurnCall, TurnInput } from '../../src/contracts/inputs.ts';
import type { CallState } from '../../src/core/next-action.ts';
import { noUsage } from '../../src/core/usage.ts';
import { TurnState } from '../../src/workflows/turn-state.ts';

const input: TurnInput = {
  ref: { owner: 'acme', sessionId: 'case-42' },
  turn: 1,
  agent: 'payer',
  inputId: 'input-1',
  input: 'Pay',
  requester: 'rita',
  hasSearchAttributes: false,
};

function aCall(callId: string, over: Partial<TurnCall> = {}): TurnCall {
  return {
    callId,
    name: 'pay',
    state: 'asking',
    concurrencySafe: true,
    returnDirect: false,
    timeoutMs: 1000,
    ...over,
  };
}

const noDigest: ModelDigest = {
  messageId: '1/2',
  reply: 'text',
  calls: [],
  finishReason: 'stop',
  usage: noUsage,
  preview: '',
};

/** A turn whose model has just proposed these calls, and whose gates are open since `now` 0. */
function aTurn(...calls: TurnCall[]): TurnState {
  const turn = new TurnState(input);
  turn.opened({ maxIterations: 10, modelName: 'test', stopsWhenAllDenied: false });
  proposes(turn, calls);
  return turn;
}

function proposes(turn: TurnState, calls: TurnCall[]): void {
  const digest: ModelDigest = {
    messageId: `1/${turn.nextStep}`,
    reply: 'calls',
    calls,
    finishReason: 'tool_calls',
    usage: noUsage,
    preview: '',
  };
  turn.modelCalled(digest, false, turn.steersForCall());
  opens(turn, 0);
}

/** What the workflow does when it comes to a gate. */
function opens(turn: TurnState, now: number): void {
  const action = turn.next();
  if (action.kind === 'wait') turn.gatesOpened(turn.unannounced(action.waiting), true, now);
}

function confirms(turn: TurnState, answer: Partial<Confirmation>, actor?: string, id?: string): string[] {
  return turn.answers.take('confirm', {
    results: [{ callId: 'c1', decision: 'allow', ...answer }],
    ...(actor === undefined ? {} : { actor: { id: actor } }),
    ...(id === undefined ? {} : { id }),
  });
}

/** Applies what is under way as the activity would, unless told what it answers instead. */
function applies(turn: TurnState, ...instead: GateOutcome[]): void {
  const answers = turn.answers.underWay;
  const outcomes = new Map(answers.map((given) => [given.answer.callId, outcomeOf(turn, given)]));
  for (const outcome of instead) outcomes.set(outcome.callId, outcome);
  turn.answersApplied(answers, [...outcomes.values()]);
}

function outcomeOf(turn: TurnState, given: GateAnswer): GateOutcome {
  const { callId } = given.answer;
  if (given.kind === 'external') return { callId, state: given.answer.state };
  if (given.kind === 'reconcile') return { callId, state: 'success' };
  if (given.answer.decision === 'deny') return { callId, state: 'denied' };
  return { callId, state: given.isVote ? stateOf(turn, callId) : 'allowed' };
}

function stateOf(turn: TurnState, callId = 'c1'): CallState {
  return turn.view.calls.find((call) => call.callId === callId)?.state ?? 'error';
}

function rotated(turn: TurnState): TurnState {
  return new TurnState(JSON.parse(JSON.stringify(turn.rotated())) as TurnInput);
}

describe('an answer', () => {
  it('is taken once: a second one to the same call is not, whether the first is applied or under way', () => {
    const turn = aTurn(aCall('c1'));
    expect(confirms(turn, {})).toEqual(['c1']);
    expect(confirms(turn, { decision: 'deny' })).toEqual([]);
    expect(turn.answers.whyNot('confirm', { callId: 'c1', decision: 'deny' } as Confirmation)?.why).toBe(
      'call c1 is answered already',
    );
    applies(turn);
    expect(stateOf(turn)).toBe('allowed');
    expect(confirms(turn, { decision: 'deny' })).toEqual([]);
  });

  it.each([
    ['held', 'is held'],
    ['allowed', 'is allowed'],
    ['success', 'is success'],
    ['denied', 'is denied'],
    ['submitted', 'is submitted'],
    ['uncertain', 'is uncertain'],
  ] as const)('to a call that is %s says so, and changes nothing', (state, words) => {
    const turn = aTurn(aCall('c1', { state }));
    const before = turn.view;
    expect(
      turn.answers.whyNot('confirm', { callId: 'c1', decision: 'allow' } as Confirmation)?.why,
    ).toContain(words);
    expect(confirms(turn, {})).toEqual([]);
    expect(turn.view).toBe(before);
    expect(turn.hasNews).toBe(false);
  });

  it('to a call of another step, or of none, says so', () => {
    const turn = aTurn(aCall('c1'));
    expect(confirms(turn, { callId: 'c9' })).toEqual([]);
    expect(
      turn.answers.whyNot('confirm', { callId: 'c9', decision: 'allow' } as Confirmation)?.why,
    ).toContain('not a call of the current step');
    applies(turn, { callId: 'c1', state: 'success' });
    proposes(turn, [aCall('c2')]);
    expect(confirms(turn, {})).toEqual([]);
  });

  it('of the wrong kind is not taken', () => {
    const turn = aTurn(aCall('c1'), aCall('c2', { state: 'submitted' }), aCall('c3', { state: 'uncertain' }));
    const external = (callId: string) =>
      turn.answers.take('external', { results: [{ callId, state: 'success', content: 'x' }] });
    const reconcile = (callId: string) =>
      turn.answers.take('reconcile', { results: [{ callId, outcome: 'happened', reason: 'seen' }] });
    expect([external('c1'), external('c3'), reconcile('c1'), reconcile('c2')].flat()).toEqual([]);
    expect([external('c2'), reconcile('c3'), confirms(turn, {})].flat()).toEqual(['c2', 'c3', 'c1']);
  });

  it('that comes with wrong ones is taken, without them', () => {
    const turn = aTurn(aCall('c1'), aCall('c2'));
    const results: Confirmation[] = [
      { callId: 'c9', decision: 'allow' },
      { callId: 'c2', decision: 'allow' },
    ];
    expect(turn.answers.whyNotAny('confirm', { results })?.why).toContain('c9');
    expect(turn.answers.take('confirm', { results })).toEqual(['c2']);
    expect(turn.answers.underWay.map(({ answer }) => answer)).toEqual([results[1]]);
  });

  it.each([
    ['confirm', 'asking', { decision: 'allow', inputs: { amount: 1 } }],
    ['external', 'submitted', { state: 'success', content: 'x', output: 'y' }],
    ['reconcile', 'uncertain', { outcome: 'happened', reason: 'seen', result: 'y' }],
  ] as const)('take no answer of kind %s that says something which nobody reads', (kind, state, said) => {
    const turn = aTurn(aCall('c1', { state }));
    const results = [{ callId: 'c1', ...said }];
    expect(turn.answers.take(kind, { results })).toEqual([]);
    expect(turn.answers.whyNotAny(kind, { results })?.why).toMatch(/unknown field "(inputs|output|result)"/);
  });

  it('that contradicts itself is not taken at all', () => {
    const turn = aTurn(aCall('c1'));
    const results: Confirmation[] = [
      { callId: 'c1', decision: 'allow' },
      { callId: 'c1', decision: 'deny' },
    ];
    expect(turn.answers.take('confirm', { results })).toEqual([]);
  });

  it('is a repeat under an id that was taken, and none under one that did not fit', () => {
    const turn = aTurn(aCall('c1', { state: 'held' }), aCall('c2'));
    expect(confirms(turn, {}, 'ann', 'first')).toEqual([]);
    applies(turn, { callId: 'c1', state: 'asking' });
    expect(confirms(turn, {}, 'ann', 'first')).toEqual(['c1']);
    expect(confirms(turn, { callId: 'c2' }, 'ann', 'first')).toEqual([]);
    expect(turn.answers.whyNotAny('confirm', { id: 'first', results: [{ callId: 'c1' }] })).toBeUndefined();
  });

  it('that was refused when it was applied may be sent again, under the same id too', () => {
    const turn = aTurn(aCall('c1'));
    confirms(turn, { input: { amount: -1 } }, 'ann', 'first');
    applies(turn, { callId: 'c1', state: 'asking', rejected: 'amount must be positive' });
    expect(turn.answers.outcomeOf('c1')?.rejected).toBe('amount must be positive');
    expect(stateOf(turn)).toBe('asking');
    expect(confirms(turn, { input: { amount: 1 } }, 'ann', 'first')).toEqual(['c1']);
    expect(turn.answers.outcomeOf('c1')).toBeUndefined();
  });

  it('that comes while another one is applied waits for its turn', () => {
    const turn = aTurn(aCall('c1'), aCall('c2'));
    confirms(turn, {});
    const answers = turn.answers.underWay;
    confirms(turn, { callId: 'c2', decision: 'deny' });
    turn.answersApplied(answers, [{ callId: 'c1', state: 'allowed' }]);
    expect(turn.answers.underWay).toMatchObject([{ answer: { callId: 'c2', decision: 'deny' } }]);
    expect(turn.answers.outcomeOf('c2')).toBeUndefined();
  });

  it('that comes while another one settles its call too is refused, and not applied later', () => {
    const turn = aTurn(aCall('c1'), aCall('c2'));
    confirms(turn, { remember: [{ tool: 'pay', behavior: 'allow' }] });
    const answers = turn.answers.underWay;
    confirms(turn, { callId: 'c2', decision: 'deny' });
    turn.answersApplied(answers, [
      { callId: 'c1', state: 'allowed' },
      { callId: 'c2', state: 'allowed' },
    ]);
    expect(turn.answers.hasAny).toBe(false);
    expect(turn.answers.outcomeOf('c2')?.rejected).toContain('call c2 is allowed by now');
  });

  it('comes too late once the turn is interrupted', () => {
    const turn = aTurn(aCall('c1'));
    turn.interrupt({ reason: 'enough' });
    expect(confirms(turn, {})).toEqual([]);
    expect(turn.next()).toEqual({ kind: 'exit', reason: 'interrupted' });
    expect(turn.result('interrupted')).toMatchObject({ reason: 'enough' });
  });
});

describe('votes', () => {
  const needsTwo = aCall('c1', { approval: { count: 2 } });

  it('add up to the count; until then the call asks on', () => {
    const turn = aTurn(aCall('c1', { approval: { count: 3 } }));
    for (const actor of ['ann', 'bob']) {
      expect(confirms(turn, {}, actor)).toEqual(['c1']);
      expect(turn.answers.underWay).toMatchObject([{ isVote: true }]);
      applies(turn);
      expect(turn.next().kind).toBe('wait');
    }
    confirms(turn, {}, 'cid');
    expect(turn.answers.underWay).toEqual([expect.not.objectContaining({ isVote: true })]);
    applies(turn);
    expect(turn.next()).toMatchObject({ kind: 'act', calls: [{ callId: 'c1' }] });
  });

  it('count once for each person, and not for somebody without a name', () => {
    const turn = aTurn(needsTwo);
    confirms(turn, {}, 'ann');
    applies(turn);
    expect(confirms(turn, {}, 'ann')).toEqual([]);
    expect(
      turn.answers.whyNot('confirm', { callId: 'c1', decision: 'allow' } as Confirmation, { id: 'ann' }),
    ).toEqual({ code: 'Forbidden', why: 'ann has allowed call c1 already: somebody else must too' });
    expect(confirms(turn, {})).toEqual([]);
  });

  it('must agree on the arguments: another edit starts the count anew', () => {
    const turn = aTurn(needsTwo);
    const vote = (actor: string, edit?: number) => {
      confirms(turn, edit === undefined ? {} : { input: { amount: edit } }, actor);
      const isLast = turn.answers.underWay[0]?.kind === 'confirm' && turn.answers.underWay[0].isVote !== true;
      applies(turn);
      return isLast;
    };
    expect(vote('ann')).toBe(false);
    expect(vote('bob', 5)).toBe(false);
    expect(vote('ann')).toBe(false);
    expect(vote('cid', 5)).toBe(false);
    expect(vote('dan', 5)).toBe(true);
  });

  it('one denial ends it, of who allowed it before too', () => {
    const turn = aTurn(needsTwo);
    confirms(turn, {}, 'ann');
    applies(turn);
    expect(confirms(turn, { decision: 'deny' }, 'ann')).toEqual(['c1']);
    applies(turn);
    expect(stateOf(turn)).toBe('denied');
  });

  it('that are refused do not count, and cost others nothing', () => {
    const turn = aTurn(needsTwo);
    confirms(turn, {}, 'ann');
    applies(turn);
    confirms(turn, { input: { amount: -1 } }, 'bob');
    applies(turn, { callId: 'c1', state: 'asking', rejected: 'amount' });
    expect(turn.view.votes).toEqual([{ callId: 'c1', actor: 'ann' }]);
    confirms(turn, {}, 'bob');
    expect(turn.answers.underWay).toEqual([expect.not.objectContaining({ isVote: true })]);
  });

  it('of one call say nothing of another', () => {
    const turn = aTurn(needsTwo, aCall('c2', { approval: { count: 2 } }));
    confirms(turn, {}, 'ann');
    applies(turn);
    confirms(turn, { callId: 'c2' }, 'bob');
    expect(turn.answers.underWay).toMatchObject([{ isVote: true }]);
  });

  it('are needed anew when the call comes to another gate', () => {
    const turn = aTurn(needsTwo);
    for (const actor of ['ann', 'bob']) {
      confirms(turn, {}, actor);
      applies(turn);
    }
    expect(stateOf(turn)).toBe('allowed');
    turn.callsChanged([{ callId: 'c1', state: 'uncertain' }]);
    turn.callsChanged([{ callId: 'c1', state: 'asking' }]);
    expect(confirms(turn, {}, 'ann')).toEqual(['c1']);
    expect(turn.answers.underWay).toMatchObject([{ isVote: true }]);
  });

  it('of a question are one answer: people can agree on arguments alone', () => {
    const turn = aTurn(aCall('c1', { isQuestion: true, approval: { count: 2 } }));
    confirms(turn, { answer: 'L' }, 'ann');
    expect(turn.answers.underWay).toEqual([expect.not.objectContaining({ isVote: true })]);
  });

  it('are forgotten with their step', () => {
    const turn = aTurn(needsTwo);
    confirms(turn, {}, 'ann');
    applies(turn);
    applies(turn, { callId: 'c1', state: 'success' });
    proposes(turn, [needsTwo]);
    expect(turn.view.votes).toEqual([]);
  });

  it('hold up the next answer to their call alone', () => {
    const turn = aTurn(needsTwo, aCall('c2'));
    confirms(turn, {}, 'ann');
    const asks = (callId: string) => turn.answers.hasVoteUnderWay({ results: [{ callId }] });
    expect([asks('c1'), asks('c2')]).toEqual([true, false]);
    applies(turn);
    expect(asks('c1')).toBe(false);
  });
});

describe('four eyes', () => {
  const fourEyes = aCall('c1', { approval: { by: 'not_requester' } });

  const message = { id: 'm1', kind: 'team', from: { name: 'w' }, text: 'Pay me' } as const;
  const behind = { requesters: { known: ['sam'], hasUnknown: false } };

  it('refuse who is behind a message, for what is proposed after it was read', () => {
    const turn = aTurn(fourEyes);
    turn.takeMessages([{ ...message, ...behind }]);
    expect(turn.view.requesters).toEqual({ known: ['rita'], hasUnknown: false });
    applies(turn, { callId: 'c1', state: 'success' });
    proposes(turn, [fourEyes]);
    for (const actor of ['rita', 'sam']) expect(confirms(turn, {}, actor)).toEqual([]);
    expect(turn.result('model_stop').requesters).toEqual({ known: ['rita', 'sam'], hasUnknown: false });
    expect(confirms(rotated(turn), {}, 'sam')).toEqual([]);
    expect(confirms(turn, {}, 'tom')).toEqual(['c1']);
  });

  it('let nobody answer what is proposed after a message was read that nobody is known to be behind', () => {
    const turn = aTurn(fourEyes);
    turn.takeMessages([message]);
    expect(confirms(turn, {}, 'tom')).toEqual(['c1']);
    turn.modelCalled(noDigest, false, turn.steersForCall());
    expect(turn.view.requesters).toEqual({ known: ['rita'], hasUnknown: true });
  });

  it('refuse who is behind the message, or the call of another agent, that began the turn', () => {
    const { requester: _, ...bare } = input;
    const requestersOf = (over: Partial<TurnInput>) => new TurnState({ ...bare, ...over }).view.requesters;
    expect(requestersOf({ input: { message: { ...message, ...behind } } })).toEqual(behind.requesters);
    expect(requestersOf({ input: { message } })).toEqual({ known: [], hasUnknown: true });
    expect(requestersOf(behind)).toEqual(behind.requesters);
    expect(requestersOf({})).toEqual({ known: [], hasUnknown: true });
  });

  it('refuse who wrote into a turn below that it waited for', () => {
    const turn = aTurn(fourEyes);
    turn.childEnded({ finishReason: 'model_stop', ...behind });
    expect(confirms(turn, {}, 'sam')).toEqual([]);
    expect(confirms(turn, {}, 'tom')).toEqual(['c1']);
  });

  const isAllowed = (turn: TurnState) => {
    applies(turn);
    return stateOf(turn) === 'allowed';
  };

  it('refuse whoever steered the turn, as who submitted its input', () => {
    const turn = aTurn(fourEyes);
    turn.steer({ id: 's1', input: 'pay sam as well', actor: 'sam' });
    for (const actor of ['rita', 'sam']) expect(confirms(turn, {}, actor)).toEqual([]);
    expect(confirms(turn, {}, 'tom')).toEqual(['c1']);
  });

  it('let nobody answer once somebody steered without a name, and say why', () => {
    const turn = aTurn(fourEyes);
    turn.steer({ id: 's1', input: 'and be quick' });
    expect(confirms(turn, {}, 'tom')).toEqual([]);
    const refusal = turn.answers.whyNot('confirm', { callId: 'c1', decision: 'deny' } as Confirmation, {
      id: 'tom',
    });
    expect(refusal).toMatchObject({ code: 'Forbidden', why: expect.stringContaining('without a name') });
  });

  it('take no notice of a steer that was not taken in', () => {
    const turn = aTurn(fourEyes);
    turn.steer({ id: 's1', input: ' ', actor: 'sam' });
    expect(confirms(turn, {}, 'sam')).toEqual(['c1']);
  });

  it('make the editor a proposer: others, as many as are needed, must allow the edited call', () => {
    const once = aTurn(fourEyes);
    confirms(once, { input: { amount: 9, to: 'sam' } }, 'sam');
    expect(isAllowed(once)).toBe(false);
    expect(confirms(once, { input: { to: 'sam', amount: 9 } }, 'sam')).toEqual([]);
    confirms(once, { input: { to: 'sam', amount: 9 } }, 'tom');
    expect(isAllowed(once)).toBe(true);

    const twice = aTurn(aCall('c1', { approval: { by: 'not_requester', count: 2 } }));
    const votes = ['sam', 'tom', 'una'].map((actor) => {
      confirms(twice, { input: { amount: 9 } }, actor);
      return isAllowed(twice);
    });
    expect(votes).toEqual([false, false, true]);
  });

  it('let an editor change their mind, and anybody else take the call as it was proposed', () => {
    const turn = aTurn(fourEyes);
    confirms(turn, { input: { amount: 9 } }, 'sam');
    applies(turn);
    confirms(turn, { input: { amount: 8 } }, 'sam');
    expect(isAllowed(turn)).toBe(false);
    confirms(turn, {}, 'tom');
    expect(isAllowed(turn)).toBe(true);
  });

  it('drop the vote of who wrote into the turn after giving it', () => {
    const turn = aTurn(aCall('c1', { approval: { by: 'not_requester', count: 2 } }));
    confirms(turn, {}, 'sam');
    applies(turn);
    turn.steer({ id: 's1', input: 'more', actor: 'sam' });
    confirms(turn, {}, 'tom');
    expect(isAllowed(turn)).toBe(false);
    confirms(turn, {}, 'una');
    expect(isAllowed(turn)).toBe(true);
  });
});

describe('deadlines', () => {
  it('deny a confirmation that nobody gave', () => {
    const turn = aTurn(aCall('c1', { deadline: { afterMs: 60_000, action: 'deny' } }));
    expect(turn.nextDueAt).toBe(60_000);
    expect(turn.deadlinesPassed(59_999)).toEqual([]);
    expect(turn.answers.hasAny).toBe(false);
    expect(turn.deadlinesPassed(60_000)).toEqual([]);
    expect(turn.answers.underWay).toEqual([
      {
        kind: 'confirm',
        isOverdue: true,
        answer: { callId: 'c1', decision: 'deny', reason: 'nobody answered within 60 s' },
      },
    ]);
    expect(turn.nextDueAt).toBeUndefined();
  });

  it('give an external call that no system answered an error as its result', () => {
    const turn = aTurn(aCall('c1', { state: 'submitted', deadline: { afterMs: 1000, action: 'deny' } }));
    turn.deadlinesPassed(1000);
    expect(turn.answers.underWay).toMatchObject([
      { kind: 'external', answer: { callId: 'c1', state: 'error' } },
    ]);
  });

  it('escalate to other people, once', () => {
    const escalateTo = { by: { people: ['boss'] } };
    const turn = aTurn(
      aCall('c1', {
        approval: { by: { people: ['ann'] } },
        deadline: { afterMs: 1000, action: 'escalate', escalateTo },
      }),
    );
    expect(confirms(turn, {}, 'boss')).toEqual([]);
    expect(turn.deadlinesPassed(1000)).toEqual([{ callId: 'c1', kind: 'escalated' }]);
    expect(turn.nextDueAt).toBeUndefined();
    expect(confirms(turn, {}, 'ann')).toEqual([]);
    expect(confirms(turn, {}, 'boss')).toEqual(['c1']);
  });

  it('that wait on remind again and again', () => {
    const turn = aTurn(aCall('c1', { deadline: { afterMs: 1000, action: 'wait' } }));
    expect(turn.deadlinesPassed(1500)).toEqual([{ callId: 'c1', kind: 'overdue' }]);
    expect(turn.nextDueAt).toBe(2500);
    expect(turn.deadlinesPassed(2500)).toEqual([{ callId: 'c1', kind: 'overdue' }]);
    expect(turn.nextDueAt).toBe(3500);
    confirms(turn, {});
    applies(turn);
    expect(turn.nextDueAt).toBeUndefined();
  });

  it('only tell of what is uncertain: nobody may guess what happened', () => {
    const turn = aTurn(aCall('c1', { state: 'uncertain', deadline: { afterMs: 1000, action: 'deny' } }));
    expect(turn.deadlinesPassed(1000)).toEqual([{ callId: 'c1', kind: 'overdue' }]);
    expect(turn.answers.hasAny).toBe(false);
  });

  it('run for each gate apart, the soonest first', () => {
    const turn = aTurn(
      aCall('c1', { deadline: { afterMs: 3000, action: 'deny' } }),
      aCall('c2', { deadline: { afterMs: 1000, action: 'deny' } }),
      aCall('c3'),
    );
    expect(turn.nextDueAt).toBe(1000);
    turn.deadlinesPassed(1000);
    expect(turn.answers.underWay.map(({ answer }) => answer.callId)).toEqual(['c2']);
    applies(turn);
    expect(turn.nextDueAt).toBe(3000);
  });

  it('begin anew at the next gate of the same call', () => {
    const turn = aTurn(aCall('c1', { deadline: { afterMs: 1000, action: 'deny' } }));
    confirms(turn, {});
    applies(turn, { callId: 'c1', state: 'submitted' });
    opens(turn, 900);
    expect(turn.nextDueAt).toBe(1900);
    turn.deadlinesPassed(1000);
    expect(turn.answers.hasAny).toBe(false);
  });

  it('of a call that is held back begin when it is asked', () => {
    const deadline = { afterMs: 1000, action: 'deny' as const };
    const turn = aTurn(aCall('c1', { deadline }), aCall('c2', { state: 'held', deadline }));
    confirms(turn, {});
    applies(turn, { callId: 'c2', state: 'asking' });
    expect(turn.nextDueAt).toBeUndefined();
    turn.callsChanged([{ callId: 'c1', state: 'success' }]);
    opens(turn, 700);
    expect(turn.nextDueAt).toBe(1700);
  });

  it('run on through a rotation', () => {
    const turn = rotated(aTurn(aCall('c1', { deadline: { afterMs: 1000, action: 'wait' } })));
    expect(turn.nextDueAt).toBe(1000);
    expect(turn.deadlinesPassed(1000)).toEqual([{ callId: 'c1', kind: 'overdue' }]);
  });
});

describe('a message instead of an answer', () => {
  const steer = { id: 'm1', input: 'never mind', denyPending: true };

  it('denies the calls that ask or are held back, and no other', () => {
    const turn = aTurn(
      aCall('c1'),
      aCall('c2', { state: 'held' }),
      aCall('c3', { state: 'submitted' }),
      aCall('c4', { state: 'uncertain' }),
      aCall('c5', { state: 'success' }),
    );
    turn.steer({ ...steer, actor: 'rita' });
    const denial = (callId: string) => ({ actor: { id: 'rita' }, answer: { callId, decision: 'deny' } });
    expect(turn.answers.underWay).toMatchObject([denial('c1'), denial('c2')]);
    expect(turn.view.steers).toMatchObject([steer]);
  });

  it('leaves alone what is decided already, but not what has a vote only', () => {
    const turn = aTurn(aCall('c1'), aCall('c2', { approval: { count: 2 } }));
    confirms(turn, {});
    confirms(turn, { callId: 'c2' }, 'ann');
    turn.steer({ ...steer, actor: 'sam' });
    expect(turn.answers.underWay.map(({ answer }) => answer)).toMatchObject([
      { callId: 'c1', decision: 'allow' },
      { callId: 'c2', decision: 'allow' },
      { callId: 'c2', decision: 'deny' },
    ]);
  });

  it('denies none where one takes no answer from its sender, and is taken in all the same', () => {
    const guarded = { approval: { by: { people: ['ann'] } } };
    for (const actor of ['rita', undefined]) {
      const turn = aTurn(aCall('c1'), aCall('c2', { state: 'held', ...guarded }));
      turn.steer({ ...steer, ...(actor ? { actor } : {}) });
      expect(turn.answers.underWay).toEqual([]);
      expect(turn.view.steers).toMatchObject([steer]);
    }
  });

  it('denies all the same in the replay of a turn that did so before there were refusals', () => {
    const turn = aTurn(aCall('c1', { approval: { by: { people: ['ann'] } } }));
    turn.steer({ ...steer, actor: 'rita' }, () => false);
    expect(turn.answers.underWay).toMatchObject([{ answer: { callId: 'c1', decision: 'deny' } }]);
  });

  it('denies what others asked for: its sender asks only from then on', () => {
    const fourEyes = aCall('c1', { approval: { by: 'not_requester' } });
    for (const [actor, denied] of [
      ['rita', []],
      ['sam', ['c1']],
    ] as const) {
      const turn = new TurnState({ ...input, requester: 'rita' });
      proposes(turn, [fourEyes]);
      turn.steer({ ...steer, actor });
      expect(turn.answers.underWay.map(({ answer }) => answer.callId)).toEqual(denied);
    }
  });

  it('denies nothing when it is a repeat, or is not taken in', () => {
    const turn = aTurn(aCall('c1'));
    for (let i = 1; i <= 50; i += 1) turn.steer({ id: `s${i}`, input: 'x' });
    turn.steer(steer);
    turn.steer({ ...steer, id: 's1' });
    turn.steer({ ...steer, input: ' ' });
    expect(turn.answers.hasAny).toBe(false);
    expect(turn.view.steers).toHaveLength(50);
  });
});

describe('runs', () => {
  it('end at a gate, and the next begins when an answer lets something go on', () => {
    const turn = aTurn(aCall('c1', { concurrencySafe: false }), aCall('c2', { concurrencySafe: false }));
    expect(turn.view).toMatchObject({ run: 1, isPaused: true });
    confirms(turn, { callId: 'c2' });
    applies(turn);
    expect(turn.view).toMatchObject({ run: 1, isPaused: true });
    confirms(turn, { decision: 'deny' });
    applies(turn);
    expect(turn.view).toMatchObject({ run: 2, isPaused: false });
  });

  it('tell observers of a gate once, and of the next gate of the same call again', () => {
    const turn = aTurn(aCall('c1'));
    expect(turn.unannounced(turn.view.calls)).toEqual([]);
    confirms(turn, {});
    applies(turn);
    turn.callsChanged([{ callId: 'c1', state: 'uncertain', reason: 'its worker ended' }]);
    expect(turn.unannounced(turn.view.calls)).toEqual(['c1']);
  });
});

describe('a rotated turn', () => {
  it('goes on where the last run of its workflow was', () => {
    const turn = aTurn(
      aCall('c1', { approval: { count: 2 }, deadline: { afterMs: 1000, action: 'deny' } }),
      aCall('c2', { state: 'held' }),
    );
    confirms(turn, {}, 'ann', 'a1');
    applies(turn);
    turn.steer({ id: 'm1', input: 'and be quick' });
    const next = rotated(turn);

    expect(next.view).toEqual(turn.view);
    expect(next.rotated()).toEqual(turn.rotated());
    expect(next.rotated().input).toBe('');
    expect(next.next()).toEqual(turn.next());
    expect(next.unannounced(next.view.calls)).toEqual([]);
    expect(confirms(next, {}, 'ann')).toEqual([]);
    next.steer({ id: 'm1', input: 'and be quick' });
    expect(next.view.steers).toHaveLength(1);
    confirms(next, {}, 'bob');
    expect(next.answers.underWay).toEqual([expect.not.objectContaining({ isVote: true })]);
  });

  it('still knows who asked, and who may answer', () => {
    const before = aTurn(aCall('c1', { approval: { by: 'not_requester' } }));
    before.steer({ id: 's1', input: 'more', actor: 'ruth' });
    const turn = rotated(before);
    for (const actor of ['rita', 'ruth']) expect(confirms(turn, {}, actor)).toEqual([]);
    expect(confirms(turn, {}, 'sam')).toEqual(['c1']);
  });
});
