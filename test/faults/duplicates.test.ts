import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Session } from '../../src/client/index.ts';
import { sessionWorkflowId } from '../../src/contracts/ids.ts';
import { confirmSignal, submitSignal, submitUpdate } from '../../src/contracts/messages.ts';
import { noUsage } from '../../src/core/usage.ts';
import { calls } from '../../src/testing/index.ts';
import { startStack, type Stack, type StackOptions } from '../support/stack.ts';
import { hookStore, turnstile } from './hook-store.ts';
import { expectWholeStory, observe } from './observe.ts';
import { openWorker, placeOf } from './open-worker.ts';
import { effectsIn, shopAgent } from './shop-agent.ts';

let folder: string;
let effectsFile: string;
let stack: Stack;
let temporal: Client;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durascope-faults-'));
  effectsFile = join(folder, 'effects');
});
afterEach(async () => {
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
});

async function open(sessionLingerMs = 5_000, options: Partial<StackOptions> = {}): Promise<Session> {
  const agent = shopAgent(effectsFile);
  stack = await startStack({ agents: [agent], sessionLingerMs, ...options });
  temporal = new Client({ connection: stack.connection });
  return stack.session(agent);
}

function sessionWorkflow(session: Session) {
  return temporal.workflow.getHandle(sessionWorkflowId({ owner: session.owner, sessionId: session.id }));
}

/** A turn that waits for a confirmation of `pay`. */
async function waitingTurn(session: Session) {
  stack.model.calls('pay', { orderId: '7' });
  const turn = await session.submit('Pay');
  const [call] = (await turn.result()).pending;
  return { turn, callId: call?.callId ?? '' };
}

describe('the same input twice', () => {
  it('by update and by signal, at once and after each other, is one turn', async () => {
    const session = await open();
    stack.model.says('Noted.');
    const twins = await Promise.all([1, 2, 3].map(() => session.submit('x', { idempotencyKey: 'k' })));
    const handle = sessionWorkflow(session);
    const submission = { id: 'k', input: 'x' };
    await handle.signal(submitSignal, submission);
    await handle.signal(submitSignal, submission);
    expect(await handle.executeUpdate(submitUpdate, { args: [submission] })).toEqual({
      turnId: twins[0]!.id,
      status: 'repeated',
    });
    expect(new Set(twins.map(({ id }) => id)).size).toBe(1);
    expect(twins.filter(({ status }) => status === 'started')).toHaveLength(1);
    expect(twins.filter(({ status }) => status === 'repeated')).toHaveLength(2);
    for (const twin of twins) expect((await twin.result()).text).toBe('Noted.');
    expect((await session.turns()).items).toHaveLength(1);
    expect(stack.model.requests).toHaveLength(1);
  });

  it('is known after the session has returned', async () => {
    const session = await open(1);
    stack.model.says('Noted.').says('Next.');
    const first = await session.submit('x', { idempotencyKey: 'k' });
    await first.result();
    await sessionWorkflow(session).result();
    const again = await session.submit('x', { idempotencyKey: 'k' });
    expect(again).toMatchObject({ id: first.id, status: 'repeated' });
    expect((await again.result()).text).toBe('Noted.');
    expect((await (await session.submit('y')).result()).text).toBe('Next.');
  });

  it('is known when the session has long forgotten it', async () => {
    const session = await open();
    const { store } = stack.content;
    const ref = { owner: session.owner, sessionId: session.id };
    await store.sessions.open(ref, 'shop');
    for (let turn = 1; turn <= 250; turn += 1) {
      const content = [{ type: 'text' as const, id: 'b0', text: `old ${turn}` }];
      const message = { id: `${turn}/input`, turn, step: 0, role: 'user' as const, content, createdAt: '' };
      await store.turns.open({
        ref,
        turn,
        inputId: `old-${turn}`,
        agent: 'shop',
        revision: '',
        message,
        events: [],
      });
      await store.turns.close({
        ref,
        turn,
        finishReason: 'model_stop',
        usage: noUsage,
        danglingResult: '',
        events: [],
      });
    }
    const again = await session.submit('old 1', { idempotencyKey: 'old-1' });
    expect(again.turn).toBe(1);
    expect((await again.result()).finishReason).toBe('model_stop');
    stack.model.says('New.');
    expect((await (await session.submit('new')).result()).text).toBe('New.');
    expect(stack.model.requests).toHaveLength(1);
  });
});

describe('an input of a session that no workflow has in hand', () => {
  it('is taken without a worker, can be read while it waits, and runs in its place once somebody wakes the session', async () => {
    const session = await open(1, { isStarted: false });
    const first = await session.submit('one', { idempotencyKey: 'k' });
    const second = await session.submit('two');
    const again = await session.submit('one', { idempotencyKey: 'k' });
    expect([first, second, again]).toMatchObject([
      { turn: 1, status: 'started' },
      { turn: 2, status: 'queued' },
      { turn: 1, status: 'repeated' },
    ]);
    expect(await session.turn(2).get()).toMatchObject({ state: 'queued' });
    expect(await session.get()).toMatchObject({ state: 'idle', queued: 2 });
    expect(await session.turn(3).get()).toBeUndefined();
    await expect(session.erase()).rejects.toThrow(/force/);

    // As if whoever submitted them had died before it woke the session.
    await sessionWorkflow(session).terminate();
    stack.model.says('One.').says('Two.').says('Three.');
    await stack.startWorker();
    const third = await session.submit('three');
    const replies = await Promise.all([first, second, third].map((turn) => turn.result()));
    expect(replies.map(({ text }) => text)).toEqual(['One.', 'Two.', 'Three.']);
    expect(await session.get()).not.toHaveProperty('queued');
    await sessionWorkflow(session).result();
    await session.erase();
  });

  it('is a turn when it comes in between the last look at the store and the return of the workflow', async () => {
    const returning = turnstile();
    const session = await open(1, { isStarted: false });
    const worker = await openWorker(placeOf(stack), {
      agents: [shopAgent(effectsFile)],
      sessionLingerMs: 1,
      wrapStore: (store) => hookStore(store, 'sessions.release', { after: returning.pass }),
    });
    stack.model.says('One.').says('Two.');
    await (await session.submit('one')).result();
    await returning.reached;
    const late = await session.submit('two');
    expect(late).toMatchObject({ turn: 2, status: 'started' });
    returning.open();
    expect((await late.result()).text).toBe('Two.');
    await worker.stop();
  });
});

describe('an answer', () => {
  it('is taken once: a second one is refused, a repeat of the same is not', async () => {
    const session = await open();
    const observer = observe(session);
    const both = ['7', '8'].map((orderId) => ['pay', { orderId }] as const);
    stack.model.calls(both).says('Paid once.');
    const turn = await session.submit('Pay both');
    const callId = (await turn.result()).pending[0]?.callId ?? '';
    const allow = [{ callId, decision: 'allow' as const }];
    await Promise.all([1, 2].map(() => session.confirm(allow, { idempotencyKey: 'c' })));
    const [next] = (await turn.result()).pending;
    await session.confirm(allow, { idempotencyKey: 'c' });
    await expect(session.confirm([{ callId, decision: 'deny' }])).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/is success/) as string,
    });
    await session.confirm([{ callId: next?.callId ?? '', decision: 'deny' }]);
    expect((await turn.result()).text).toBe('Paid once.');
    expect(effectsIn(effectsFile)).toHaveLength(1);
    await expectWholeStory(observer, session);
    await observer.stop();
  });

  it('does no harm by signal, however often it comes', async () => {
    const session = await open();
    const { turn, callId } = await waitingTurn(session);
    stack.model.says('Paid.');
    const handle = temporal.workflow.getHandle(turn.id);
    const answered = { results: [{ callId, decision: 'allow' as const }] };
    await Promise.all([1, 2, 3].map(() => handle.signal(confirmSignal, answered)));
    await sessionWorkflow(session).signal(confirmSignal, answered);
    expect((await turn.result({ until: 'end' })).text).toBe('Paid.');
    await sessionWorkflow(session).signal(confirmSignal, answered);
    expect(effectsIn(effectsFile)).toHaveLength(1);
    stack.model.says('Hello.');
    expect((await (await session.submit('Hi')).result()).text).toBe('Hello.');
  });

  it('that comes too late, or to the wrong call, is refused with the reason', async () => {
    const session = await open();
    const { turn, callId } = await waitingTurn(session);
    const late = [{ callId, decision: 'allow' as const }];
    await expect(session.confirm([{ callId: 'nobody', decision: 'allow' }])).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(
      session.reconcile([{ callId, outcome: 'happened', reason: 'I saw it' }]),
    ).rejects.toMatchObject({ code: 'conflict', message: expect.stringMatching(/is asking/) as string });

    stack.model.calls('pay', { orderId: '8' });
    await session.confirm(late);
    const [second] = (await turn.result()).pending;
    await expect(session.confirm(late)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/not a call of the current step/) as string,
    });
    stack.model.says('Both paid.');
    await session.confirm([{ callId: second?.callId ?? '', decision: 'allow' }]);
    expect((await turn.result()).text).toBe('Both paid.');
    await expect(session.confirm(late)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/turn has ended/) as string,
    });
    expect(effectsIn(effectsFile).map(({ orderId }) => orderId)).toEqual(['7', '8']);
  });
});

describe('an interrupt', () => {
  it('stops a turn that was submitted just before', async () => {
    await open();
    stack.model.answers(() => calls('ship', { orderId: '7' }));
    const sessions = Array.from({ length: 10 }, (_, i) => stack.session(shopAgent(effectsFile), `s${i}`));
    const reasons = await Promise.all(
      sessions.map(async (session) => {
        const turn = await session.submit('Ship');
        await session.interrupt('on second thoughts');
        return (await turn.result({ until: 'end' })).finishReason;
      }),
    );
    expect(reasons).toEqual(sessions.map(() => 'interrupted'));
  });

  it('twice is one, and does not reach the next turn', async () => {
    const session = await open();
    const { turn } = await waitingTurn(session);
    await Promise.all([session.interrupt('one'), session.interrupt('two')]);
    expect((await turn.result({ until: 'end' })).finishReason).toBe('interrupted');
    stack.model.says('Hello.');
    expect((await (await session.submit('Hi')).result()).text).toBe('Hello.');
  });
});
