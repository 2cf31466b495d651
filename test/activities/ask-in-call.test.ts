import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toPendingCall } from '../../src/client/pending-call.ts';
import { Gate } from '../../src/schema/api-answers.ts';
import { gateView } from '../../src/server/views.ts';
import { askInCall, closeGate } from '../../src/activities/ask-in-call.ts';
import { settleSiblings } from '../../src/activities/settle-siblings.ts';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { answerInCall, asksWhileItRuns, unanswered } from '../../src/client/answer-in-call.ts';
import { gateIdOf, readGateId } from '../../src/core/asked-in-call.ts';
import type { ApprovalPolicy } from '../../src/core/approval.ts';
import type { SessionRef } from '../../src/contracts/ids.ts';
import { openStore, type OpenStore } from '../../src/store/open-store.ts';
import { allowedCall, openedTurn, step } from '../store/sample-session.ts';
import { aTool } from '../tools/a-tool.ts';

const question = {
  question: 'Which one?',
  options: [{ label: 'a' }, { label: 'b' }],
  isFree: false,
  isSecret: false,
};

let content: OpenStore;
let ref: SessionRef;
let stop: AbortController;
beforeEach(async () => {
  content = await openStore('sqlite::memory:');
  ref = await openedTurn(content.store);
  stop = new AbortController();
  await content.store.calls.commitStep(step(ref, 1, [allowedCall('c1'), allowedCall('c2')]));
  await content.store.calls.dispatch(ref, ['c1', 'c2']);
});
afterEach(async () => {
  stop.abort(new Error('over'));
  await content.close();
});

const ask = (callId: string, waitMs = 20_000, policy?: ApprovalPolicy) =>
  askNext(callId, 1, question, { waitMs, policy });
const askNext = (
  callId: string,
  number: number,
  asked = question,
  { waitMs = 20_000, policy }: { waitMs?: number; policy?: ApprovalPolicy | undefined } = {},
) =>
  askInCall(content.store, { ref, turn: 1, callId, number }, asked, { waitMs, signal: stop.signal, policy });
const idOf = async (callId: string) => (await call(callId)).question?.id ?? '';
/** As the kill of its worker leaves it: nothing is put in order. */
const killed = async (asked: Promise<unknown>) => {
  stop.abort(new Error('killed'));
  await expect(asked).rejects.toThrow();
  stop = new AbortController();
};
const open = async (callId: string) =>
  (await unanswered(content.store, [await call(callId)], () => ref)).length === 1;
const call = async (callId: string) => (await content.store.calls.get(ref, callId))!;
const asking = (callId: string) => expect.poll(async () => asksWhileItRuns(await call(callId))).toBe(true);
const answer = async (
  callId: string,
  given: { decision: 'allow' | 'deny'; answer?: string; questionId?: string },
) => answerInCall(content.store, ref, await call(callId), { callId, ...given }, 'ann');
const stateOfTurn = async () => (await content.store.turns.get(ref, 1))?.state;

describe('a call that asks while it runs', () => {
  it('waits at a gate that is listed, and goes on with the answer', async () => {
    const asked = ask('c1');
    await asking('c1');
    expect(await stateOfTurn()).toBe('waiting');
    const { items } = await content.store.calls.open(ref.owner, {});
    expect(items).toMatchObject([{ callId: 'c1', state: 'asking', question: { question: 'Which one?' } }]);
    const shown = Gate.parse(gateView(toPendingCall(items[0]!, ref)));
    expect(shown.isRunning).toBe(true);
    await expect(answer('c1', { decision: 'allow', answer: 'z' })).rejects.toThrow(/must be one of: a, b/);
    await answer('c1', { decision: 'allow', answer: 'b' });
    await expect(answer('c1', { decision: 'deny' })).rejects.toThrow(/answered already/);
    expect(await asked).toEqual({ kind: 'answered', answer: 'b' });
    expect(await call('c1')).toMatchObject({ state: 'allowed', isDispatched: true });
    expect(await stateOfTurn()).toBe('running');
  });

  it('learns of a refusal, and of nobody who answers in time', async () => {
    const refused = ask('c1');
    await asking('c1');
    await answer('c1', { decision: 'deny' });
    expect(await refused).toEqual({ kind: 'denied' });
    expect(await askNext('c1', 2, question, { waitMs: 1 })).toEqual({ kind: 'nobody' });
    expect(await stateOfTurn()).toBe('running');
  });

  it('keeps the turn waiting while another one asks too', async () => {
    const [first, second] = [ask('c1'), ask('c2')];
    await asking('c1');
    await asking('c2');
    await answer('c1', { decision: 'allow', answer: 'a' });
    await first;
    expect(await stateOfTurn()).toBe('waiting');
    await answer('c2', { decision: 'allow', answer: 'a' });
    await second;
    expect(await stateOfTurn()).toBe('running');
  });

  it('finds nobody there when too many wait already', async () => {
    const waiting = Array.from({ length: 25 }, () => ask('c1'));
    await asking('c1');
    expect(await ask('c2')).toEqual({ kind: 'nobody' });
    stop.abort(new Error('over'));
    await Promise.allSettled(waiting);
  });

  it('is left alone when its siblings are judged again', async () => {
    const asked = ask('c1');
    await asking('c1');
    const agent = defineAgent({
      name: 'support',
      model: 'openai/x',
      instructions: 'Be brief.',
      tools: [aTool({ name: 'look' })],
      permissions: { allow: ['look'] },
    });
    const session = await content.store.sessions.open(ref, 'support');
    const policy = { mode: 'default' as const, rules: agent.permissions.rules };
    await settleSiblings({ store: content.store, agent, session, policy }, [await call('c1')]);
    expect((await call('c1')).state).toBe('asking');
    await answer('c1', { decision: 'allow', answer: 'a' });
    expect(await asked).toMatchObject({ kind: 'answered' });
  });

  it('asks several questions, and takes no answer twice', async () => {
    const first = ask('c1');
    await asking('c1');
    const questionId = await idOf('c1');
    await answer('c1', { decision: 'allow', answer: 'b', questionId });
    expect(await open('c1')).toBe(false);
    await first;
    const second = askNext('c1', 2, { ...question, question: 'And to drop?', isFree: true });
    await asking('c1');
    expect(await open('c1')).toBe(true);
    await expect(answer('c1', { decision: 'allow', answer: 'b', questionId })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/answered already/) as string,
    });
    const newest = await idOf('c1');
    await expect(answer('c1', { decision: 'allow', answer: 'b' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(`questionId "${newest}"`) as string,
    });
    await expect(answer('c1', { decision: 'deny', questionId: '2-0' })).rejects.toThrow(/does not ask this/);
    await answer('c1', { decision: 'allow', answer: 'c', questionId: newest });
    expect(await second).toEqual({ kind: 'answered', answer: 'c' });
  });

  it('has a name for each of its questions that front ends hand back', () => {
    expect(readGateId(gateIdOf('a#b', '2-ab12'))).toEqual({ callId: 'a#b', questionId: '2-ab12' });
    expect(readGateId(gateIdOf('a#b', undefined))).toEqual({ callId: 'a#b' });
  });

  it('is told when it is run again what was answered while nobody waited', async () => {
    const asked = ask('c1');
    await asking('c1');
    await killed(asked);
    await answer('c1', { decision: 'allow', answer: 'b' });
    expect(await open('c1')).toBe(false);
    await closeGate(content.store, { ref, turn: 1, callId: 'c1' });
    expect(await stateOfTurn()).toBe('running');
    expect(await ask('c1')).toEqual({ kind: 'answered', answer: 'b' });
    // The answer counts for this place only.
    const next = askNext('c1', 2);
    await asking('c1');
    await answer('c1', { decision: 'deny', questionId: await idOf('c1') });
    expect(await next).toEqual({ kind: 'denied' });
  });

  it('voids an answer when it asks something else after it was run again, and says so', async () => {
    const asked = ask('c1');
    await asking('c1');
    const questionId = await idOf('c1');
    await killed(asked);
    await answer('c1', { decision: 'allow', answer: 'b', questionId });
    await closeGate(content.store, { ref, turn: 1, callId: 'c1' });
    const again = askNext('c1', 1, { ...question, question: 'Which table?' });
    await asking('c1');
    const events = await content.store.events.read(ref, 0);
    expect(events.filter(({ kind }) => kind === 'gate_answered')).toMatchObject([
      { questionId, answer: 'answer', actor: 'ann' },
      { questionId, answer: 'void', actor: 'ann' },
    ]);
    await expect(answer('c1', { decision: 'allow', answer: 'b', questionId })).rejects.toThrow(
      /not ask this/,
    );
    await expect(answer('c1', { decision: 'allow', answer: 'b' })).rejects.toThrow(/more than one question/);
    await answer('c1', { decision: 'allow', answer: 'a', questionId: await idOf('c1') });
    expect(await again).toEqual({ kind: 'answered', answer: 'a' });
  });

  it('is not asked about where a policy says who may answer: that is checked elsewhere', async () => {
    expect(await ask('c1', 20_000, { by: 'not_requester' })).toEqual({ kind: 'nobody' });
    expect((await call('c1')).state).toBe('allowed');
  });
});
