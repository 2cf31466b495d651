import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { answerGates } from '../../src/activities/answer-gates.ts';
import { ContextCache } from '../../src/activities/context-cache.ts';
import type { ActivityDeps } from '../../src/activities/deps.ts';
import { createAgentRegistry } from '../../src/agents/agent-registry.ts';
import { defineAgent } from '../../src/agents/define-agent.ts';
import type { GateAnswer } from '../../src/contracts/activities.ts';
import type { SessionRef } from '../../src/contracts/ids.ts';
import type { Confirmation } from '../../src/contracts/inputs.ts';
import type { PermissionRule } from '../../src/core/permission.ts';
import { createModelRegistry } from '../../src/model/registry.ts';
import { openStore, type OpenStore } from '../../src/store/open-store.ts';
import type { CallDraft } from '../../src/store/call-store.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { kindsOf, openedTurn, step } from '../store/sample-session.ts';
import { testScope } from '../support/worker-scope.ts';

const toRule = (to: string): PermissionRule => ({ tool: 'send', pattern: `to=${to}`, behavior: 'allow' });
const send = defineTool({
  name: 'send',
  description: 'Sends a mail',
  input: z.object({ to: z.string().min(1), key: z.string().optional() }),
  concurrencySafe: true,
  secrets: ['key'],
  suggestRules: ({ to }) => [toRule(to)],
  execute: () => 'sent',
});
const agent = defineAgent({
  name: 'support',
  model: 'openai/gpt-test',
  instructions: 'Be brief.',
  tools: [send],
});

let content: OpenStore;
let deps: ActivityDeps;
beforeEach(async () => {
  content = await openStore('sqlite::memory:');
  deps = {
    store: content.store,
    agents: createAgentRegistry([agent]),
    models: createModelRegistry(),
    contexts: new ContextCache(),
    worker: testScope(),
    lingerMs: 1000,
    hasSearchAttributes: false,
  };
});
afterEach(() => content.close());

function asks(callId: string, to: string, over: Partial<CallDraft> = {}): CallDraft {
  const args = JSON.stringify({ to });
  return { callId, name: 'send', arguments: args, state: 'asking', suggestedRules: [toRule(to)], ...over };
}

async function atGate(...calls: CallDraft[]): Promise<SessionRef> {
  const ref = await openedTurn(content.store);
  await content.store.calls.commitStep(step(ref, 1, calls));
  return ref;
}

/** Answers as the turn does that knows these states; a turn that was not told what came of it asks again with the same ones. */
function answer(ref: SessionRef, calls: readonly CallDraft[], ...answers: GateAnswer[]) {
  return answerGates(deps, {
    ref,
    turn: 1,
    agent: 'support',
    nextRun: 2,
    calls: calls.map(({ callId, state }) => ({ callId, state })),
    answers,
  });
}

function confirms(callId: string, over: Partial<Confirmation> = {}, more: object = {}): GateAnswer {
  return { kind: 'confirm', answer: { callId, decision: 'allow', ...over }, ...more };
}

async function statesOf(ref: SessionRef): Promise<string[]> {
  return (await content.store.calls.ofTurn(ref, 1)).map(({ callId, state }) => `${callId} ${state}`);
}

describe('answerGates', () => {
  it('answers a repeat as the first time, when its worker ended before it could tell', async () => {
    const calls = [asks('c1', 'ann'), asks('c2', 'ann', { state: 'held' }), asks('c3', 'bob')];
    const ref = await atGate(...calls);
    const given = confirms('c1', { remember: [toRule('ann')] });
    const first = await answer(ref, calls, given);
    expect(first.map(({ callId, state }) => `${callId} ${state}`)).toEqual(['c1 allowed', 'c2 allowed']);
    const events = await kindsOf(content.store, ref);
    const audit = await content.store.audit.list(ref, {});

    expect(await answer(ref, calls, given)).toEqual(first);
    expect(await kindsOf(content.store, ref)).toEqual(events);
    expect(await content.store.audit.list(ref, {})).toEqual(audit);
  });

  it('takes an answer that it has committed as given, even where a rule would refuse it by now', async () => {
    const calls = [asks('c1', 'ann')];
    const ref = await atGate(...calls);
    const denies = confirms('c1', { remember: [{ ...toRule('ann'), behavior: 'deny' }] });
    const first = await answer(ref, calls, denies);
    expect(first).toMatchObject([{ callId: 'c1', state: 'allowed' }]);
    expect(await answer(ref, calls, denies)).toEqual(first);
  });

  it('counts a vote once, however often it is applied', async () => {
    const calls = [asks('c1', 'ann')];
    const ref = await atGate(...calls);
    const vote = confirms('c1', {}, { actor: { id: 'ann' }, isVote: true });
    await answer(ref, calls, vote);
    await answer(ref, calls, vote);
    expect((await content.store.calls.get(ref, 'c1'))?.votes).toEqual([
      { actor: 'ann', arguments: '{"to":"ann"}' },
    ]);
    expect((await content.store.audit.list(ref, {})).items).toHaveLength(1);
  });

  it('brings up what was held back, whatever settled its elder', async () => {
    const calls = [
      asks('c1', 'zoe'),
      asks('c2', 'ann', { arguments: '{"to":"ann","key":"k"}' }),
      asks('c3', 'ann', { state: 'held' }),
    ];
    const ref = await atGate(...calls);
    const remember = [{ tool: 'send', pattern: 'to=ann&key=k', behavior: 'deny' as const }];
    await answer(ref, calls, confirms('c1', { remember }));
    expect(await statesOf(ref)).toEqual(['c1 allowed', 'c2 denied', 'c3 asking']);
  });

  it('brings up what was held back of a tool that is gone by now, so that a person can deny it', async () => {
    const calls = [asks('c1', 'ann'), { ...asks('c2', 'ann', { state: 'held' }), name: 'gone' }];
    const ref = await atGate(...calls);
    await answer(ref, calls, confirms('c1'));
    expect(await statesOf(ref)).toEqual(['c1 allowed', 'c2 asking']);
    const known = [asks('c1', 'ann', { state: 'allowed' }), { ...asks('c2', 'ann'), name: 'gone' }];
    expect(await answer(ref, known, confirms('c2'))).toMatchObject([
      { rejected: expect.stringContaining('not part of the agent') as string },
    ]);
    await answer(ref, known, confirms('c2', { decision: 'deny' }));
    expect(await statesOf(ref)).toEqual(['c1 allowed', 'c2 denied']);
  });

  it('keeps secrets that the editor could not see, and shows them to nobody', async () => {
    const calls = [
      asks('c1', 'ann', { arguments: '{"to":"ann","key":"[secret]"}', sealed: '{"to":"ann","key":"k1"}' }),
    ];
    const ref = await atGate(...calls);
    await answer(ref, calls, confirms('c1', { input: { to: 'bob', key: '[secret]' } }));
    expect(await content.store.calls.get(ref, 'c1')).toMatchObject({
      arguments: '{"to":"bob","key":"[secret]"}',
      sealed: '{"to":"bob","key":"k1"}',
    });
    const kept = [await content.store.audit.list(ref, {}), await content.store.events.read(ref, 0)];
    expect(JSON.stringify(kept)).not.toContain('k1');
  });

  it('refuses to remember an allow rule that would allow nothing', async () => {
    const calls = [asks('c1', 'ann')];
    const ref = await atGate(...calls);
    const remember: PermissionRule[] = [{ tool: 'send', pattern: 'only ann', behavior: 'allow' }];
    expect(await answer(ref, calls, confirms('c1', { remember }))).toMatchObject([
      { state: 'asking', rejected: expect.stringContaining('write path=value') as string },
    ]);
    expect(await statesOf(ref)).toEqual(['c1 asking']);
  });

  it('refuses an answer that does not fit, and leaves its call as it is', async () => {
    const calls = [asks('c1', 'ann'), asks('c2', 'bob')];
    const ref = await atGate(...calls);
    const outcomes = await answer(ref, calls, confirms('c1', { input: { to: '' } }), confirms('c2'));
    expect(outcomes).toMatchObject([
      { callId: 'c1', state: 'asking', rejected: expect.stringContaining('to') as string },
      { callId: 'c2', state: 'allowed' },
    ]);
    expect(await statesOf(ref)).toEqual(['c1 asking', 'c2 allowed']);
  });
});

describe('a remembered rule', () => {
  const deniesBob: PermissionRule = { ...toRule('bob'), behavior: 'deny' };

  it('names who remembered it and since when, in the session and wherever it decides', async () => {
    const calls = [asks('c1', 'ann'), asks('c2', 'ann', { state: 'held' })];
    const ref = await atGate(...calls);
    const forged = { ...toRule('ann'), by: 'boss', at: 'long ago', source: 'owner' as const };
    await answer(ref, calls, confirms('c1', { remember: [forged] }, { actor: { id: 'rita' } }));
    const rule = {
      ...toRule('ann'),
      source: 'confirmation',
      by: 'rita',
      at: expect.stringMatching(/^20.*Z$/) as string,
    };
    expect((await content.store.sessions.get(ref))?.permissions.rules).toEqual([rule]);
    expect((await content.store.audit.list(ref, {})).items).toMatchObject([
      { callId: 'c1', by: 'person', actor: 'rita', remembered: [rule] },
      {
        callId: 'c2',
        by: 'allow_rule',
        rule,
        reason: expect.stringContaining('which rita remembered') as string,
      },
    ]);
  });

  it('of several voters holds from the last vote that was needed, and only where they allowed the same', async () => {
    const calls = [asks('c1', 'ann')];
    const ref = await atGate(...calls);
    const rules = async () => (await content.store.sessions.get(ref))?.permissions.rules ?? [];
    const vote = (id: string, over: Partial<Confirmation>, more: object = { isVote: true }) =>
      answer(ref, calls, confirms('c1', over, { actor: { id }, ...more }));
    await vote('sam', { input: { to: 'cid' }, remember: [{ ...toRule('cid'), behavior: 'ask' }] });
    await vote('rita', { remember: [deniesBob] });
    expect(await rules()).toEqual([]);
    await vote('tom', { remember: [{ ...toRule('dan'), behavior: 'ask' }] }, {});
    expect((await rules()).map(({ pattern, by }) => `${pattern} by ${by}`)).toEqual([
      'to=bob by rita',
      'to=dan by tom',
    ]);
  });
});

describe('a call that did not happen', () => {
  const uncertain = (over: Partial<CallDraft> = {}) => asks('c1', 'ann', { state: 'uncertain', ...over });
  const reconciles: GateAnswer = {
    kind: 'reconcile',
    actor: { id: 'rita' },
    answer: { callId: 'c1', outcome: 'did_not_happen', reason: 'the log says so' },
  };
  const begun = async () => {
    const calls = [uncertain()];
    const ref = await atGate(...calls);
    await content.store.calls.dispatch(ref, ['c1']);
    return { ref, run: () => answer(ref, calls, reconciles) };
  };
  const audit = async (ref: SessionRef) =>
    (await content.store.audit.list(ref, {})).items.map(({ by, behavior }) => `${by} ${behavior}`);

  it('runs where a rule allows it today', async () => {
    const { ref, run } = await begun();
    await content.store.sessions.changePermissions(ref, { addRules: [toRule('ann')] });
    expect(await run()).toMatchObject([{ callId: 'c1', state: 'allowed' }]);
    expect(await content.store.calls.get(ref, 'c1')).toMatchObject({ isDispatched: false });
    expect(await audit(ref)).toEqual(['person allow', 'allow_rule allow']);
  });

  it('is denied where a rule or the mode forbids it today', async () => {
    for (const change of [
      { addRules: [{ ...toRule('ann'), behavior: 'deny' as const }] },
      { mode: 'explore' as const },
      { mode: 'dont_ask' as const },
    ]) {
      const { ref, run } = await begun();
      await content.store.sessions.changePermissions(ref, change);
      expect(await run()).toMatchObject([{ callId: 'c1', state: 'denied' }]);
      expect((await audit(ref)).at(-1)).toContain('deny');
    }
  });

  it('asks anew where people decide: what they allowed was the first attempt', async () => {
    const { ref, run } = await begun();
    const first = await run();
    expect(first).toMatchObject([{ callId: 'c1', state: 'asking' }]);
    expect(await content.store.calls.get(ref, 'c1')).toMatchObject({
      isDispatched: false,
      reason: expect.stringContaining('no rule allows it') as string,
      suggestedRules: [toRule('ann')],
      votes: [],
    });
    expect(await run()).toEqual(first);
    expect(await audit(ref)).toEqual(['person allow', 'default ask']);
  });
});

describe('a result from outside', () => {
  it('is refused above its limit, or when it is no list of parts, and its call waits on', async () => {
    const calls = [asks('c1', 'ann', { state: 'submitted' })];
    const ref = await atGate(...calls);
    const result = (content: unknown): GateAnswer =>
      ({ kind: 'external', answer: { callId: 'c1', state: 'success', content } }) as GateAnswer;
    const outcomes = [
      ...(await answer(ref, calls, result('x'.repeat(1024 * 1024)))),
      ...(await answer(ref, calls, result([{ type: 'video' }]))),
    ];
    expect(outcomes.map(({ rejected }) => rejected)).toEqual([
      expect.stringContaining('above the limit of 1048576'),
      expect.stringContaining('no list of parts'),
    ]);
    expect(await statesOf(ref)).toEqual(['c1 submitted']);
    await answer(ref, calls, result([{ type: 'text', text: 'worth 5' }]));
    expect(await statesOf(ref)).toEqual(['c1 success']);
  });
});

describe('a mode in the store that nobody knows', () => {
  it('lets nobody approve what it may have been meant to forbid', async () => {
    const call = asks('c1', 'ann');
    const ref = await atGate(call);
    await content.store.sessions.changePermissions(ref, { mode: 'Explore' as never });
    const [outcome] = await answer(ref, [call], confirms('c1'));
    expect(outcome).toMatchObject({ state: 'asking', rejected: expect.stringMatching(/explore/) as string });
  });
});
