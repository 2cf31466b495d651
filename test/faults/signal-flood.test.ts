import { Client, type WorkflowHandle } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { sessionWorkflowId, type SessionRef } from '../../src/contracts/ids.ts';
import { sessionQuery, submitSignal, turnQuery } from '../../src/contracts/messages.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { says } from '../../src/testing/index.ts';
import { startStack, type Stack } from '../support/stack.ts';
import { limited } from './limited.ts';
import { expectWholeStory, observe, replay } from './observe.ts';

const pay = defineTool({
  name: 'pay',
  description: 'Asks first',
  input: z.object({ orderId: z.string() }),
  permission: 'ask',
  execute: ({ orderId }) => `paid ${orderId}`,
});
const appraise = defineTool({
  name: 'appraise',
  description: 'Is done by a system outside',
  input: z.object({}),
  permission: 'allow',
  external: true,
});
const agent = defineAgent({
  name: 'flooded',
  model: 'openai/gpt-test',
  instructions: 'Be brief.',
  tools: [pay, appraise],
});

let stack: Stack;
let temporal: Client;
beforeEach(async () => {
  stack = await startStack({ agents: [agent] });
  temporal = new Client({ connection: stack.connection });
});
afterEach(() => stack.stop());

function refOf(session: { owner: string; id: string }): SessionRef {
  return { owner: session.owner, sessionId: session.id };
}

/** A plain signal, as anybody may send it. */
function signalSubmit(ref: SessionRef, id: string) {
  return temporal.workflow.signalWithStart('agentSession', {
    workflowId: sessionWorkflowId(ref),
    taskQueue: stack.taskQueue,
    args: [{ ref, agent: agent.name }],
    signal: submitSignal,
    signalArgs: [{ id, input: `this is ${id}` }],
  });
}

describe('a flood of signals at one inbox', () => {
  it('makes each message one turn, whatever is repeated', { timeout: 120_000 }, async () => {
    stack.model.answers(() => says('Noted.'));
    const session = stack.session(agent);
    const ref = refOf(session);
    const ids = Array.from({ length: 1_000 }, (_, i) => `message-${i % 25}`);
    const atOnce = limited(50);
    await Promise.all(ids.map((id) => atOnce(() => signalSubmit(ref, id))));
    await replay(session, 25);

    const turns = (await session.turns({ limit: 200 })).items;
    expect(turns.map(({ inputId }) => inputId).toSorted()).toEqual([...new Set(ids)].toSorted());
    expect(turns.every(({ finishReason }) => finishReason === 'model_stop')).toBe(true);
    const next = await session.submit('Are you there?');
    expect(next.turn).toBe(26);
    expect((await next.result()).text).toBe('Noted.');
  });

  it(
    'is taken in until the inbox is full; what goes beyond is refused with the reason',
    { timeout: 120_000 },
    async () => {
      stack.model.hangs({ before: 'firstToken' });
      const session = stack.session(agent);
      const ref = refOf(session);
      await session.submit('Work');
      await stack.model.waitForRequest(1);
      const atOnce = limited(50);
      await Promise.all(
        Array.from({ length: 1_100 }, (_, i) => atOnce(() => signalSubmit(ref, `message-${i}`))),
      );

      const handle = temporal.workflow.getHandle(sessionWorkflowId(ref));
      const { queued } = await handle.query(sessionQuery);
      expect(new Set(queued).size).toBe(1_000);
      await expect(session.submit('One more')).rejects.toThrow(/1000 turns waiting/);
      await handle.terminate();
    },
  );
});

describe('junk at a turn that waits', () => {
  const junk: unknown[][] = [
    [],
    [undefined],
    [null],
    [7],
    ['confirm'],
    [[]],
    [{}],
    [{ results: null }],
    [{ results: [] }],
    [{ results: [null, 7, 'x', {}] }],
    [{ results: [{ callId: 7, decision: 'allow' }] }],
    [{ results: [{ callId: 'nobody', decision: 'allow' }] }],
    [{ id: 7, results: [{ callId: 'CALL', decision: 'allow' }] }],
    [{ results: [{ callId: 'CALL' }] }],
    [{ results: [{ callId: 'CALL', decision: 'perhaps' }] }],
    [{ results: [{ callId: 'CALL', decision: 'allow', reason: { deep: true } }] }],
    [{ results: { callId: 'CALL', decision: 'allow' } }],
    [{ actor: 7, results: [{ callId: 'CALL', decision: 'allow' }] }],
    ['CALL', 'allow'],
  ];
  const names = ['confirm', 'externalResult', 'reconcile', 'steer', 'no-such-signal'];

  it('changes nothing, and the right answer is still taken', { timeout: 120_000 }, async () => {
    stack.model.calls('pay', { orderId: '7' }).says('Paid.');
    const session = stack.session(agent);
    const observer = observe(session);
    const turn = await session.submit('Pay');
    const [call] = (await turn.result()).pending;
    const callId = call?.callId ?? '';
    const handles = [turn.id, sessionWorkflowId(refOf(session))].map((id) => temporal.workflow.getHandle(id));
    const atOnce = limited(50);
    await Promise.all(
      Array.from({ length: 1_000 }, (_, i) => {
        const text = JSON.stringify(junk[i % junk.length]).replaceAll('CALL', callId);
        const name = names[i % names.length] as string;
        return atOnce(() => handles[i % 2]!.signal(name, ...(JSON.parse(text) as unknown[])));
      }),
    );
    const { calls } = await handles[0]!.query(turnQuery);
    expect(calls.map(({ state }) => state)).toEqual(['asking']);
    await session.confirm([{ callId, decision: 'allow' }]);
    expect((await turn.result()).text).toBe('Paid.');
    await expectWholeStory(observer, session);
    await observer.stop();
  });

  it('is refused as an update, or stops the turn when it is an interrupt', async () => {
    stack.model.calls('pay', { orderId: '7' }).says('Hello.');
    const session = stack.session(agent);
    const turn = await session.submit('Pay');
    await turn.result();
    const handle = temporal.workflow.getHandle(turn.id);
    for (const name of ['confirm', 'externalResult', 'reconcile', 'steer'])
      for (const message of [undefined, null, 7, { results: [null] }])
        await expect(handle.executeUpdate(name, { args: [message] })).rejects.toThrow();
    expect((await handle.query(turnQuery)).calls.map(({ state }) => state)).toEqual(['asking']);
    await handle.executeUpdate('interrupt', { args: [] });
    expect((await turn.result({ until: 'end' })).finishReason).toBe('interrupted');
    expect((await (await session.submit('Hi')).result()).text).toBe('Hello.');
  });

  it('is no external result either', async () => {
    stack.model.calls('appraise', {}).says('Appraised.');
    const session = stack.session(agent);
    const turn = await session.submit('Appraise it');
    const [call] = (await turn.result()).pending;
    const callId = call?.callId ?? '';
    for (const content of [[5], [{ type: 'text' }], [{ type: 'data', mediaType: 'png', source: {} }]])
      await expect(
        session.submitExternalResults([{ callId, state: 'success', content: content as never }]),
      ).rejects.toMatchObject({
        code: 'unfit_answer',
        message: expect.stringMatching(/list of parts/) as string,
      });
    await session.submitExternalResults([{ callId, state: 'success', content: '5 euros' }]);
    expect((await turn.result()).text).toBe('Appraised.');
    expect(stack.model.requests[1]?.results().map(({ text }) => text)).toEqual(['5 euros']);
  });

  it('may even be no JSON, or of no known encoding', async () => {
    stack.model.calls('pay', { orderId: '7' }).says('Paid.').says('Hello.');
    const session = stack.session(agent);
    const turn = await session.submit('Pay');
    const [call] = (await turn.result()).pending;
    const session_ = temporal.workflow.getHandle(sessionWorkflowId(refOf(session)));
    for (const handle of [temporal.workflow.getHandle(turn.id), session_])
      for (const signalName of ['confirm', 'submit', 'no-such-signal']) {
        await signalRaw(handle, signalName, 'json/plain', '{"results": [');
        await signalRaw(handle, signalName, 'binary/secret', 'xyz');
        await signalRaw(handle, signalName, undefined, '');
      }
    await session.confirm([{ callId: call?.callId ?? '', decision: 'allow' }]);
    expect((await turn.result()).text).toBe('Paid.');
    expect((await (await session.submit('Hi')).result()).text).toBe('Hello.');
  });

  function signalRaw(
    { workflowId }: WorkflowHandle,
    signalName: string,
    encoding: string | undefined,
    data: string,
  ) {
    const metadata = encoding === undefined ? {} : { encoding: Buffer.from(encoding) };
    return stack.connection.workflowService.signalWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId },
      signalName,
      input: { payloads: [{ metadata, data: Buffer.from(data) }] },
    });
  }
});
