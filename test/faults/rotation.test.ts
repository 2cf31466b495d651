import { Client } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import type { Session } from '../../src/client/index.ts';
import { sessionWorkflowId } from '../../src/contracts/ids.ts';
import { confirmSignal, steerSignal, submitSignal } from '../../src/contracts/messages.ts';
import type { DevServer } from '../../src/embedded/dev-server.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { calls, says } from '../../src/testing/index.ts';
import { startStack, type Stack } from '../support/stack.ts';
import { startTemporal } from '../support/temporal.ts';
import { expectPaired, expectWholeStory, observe, replay, transcript } from './observe.ts';

const pay = defineTool({
  name: 'pay',
  description: 'Asks first',
  input: z.object({ step: z.number() }),
  permission: 'ask',
  execute: ({ step }) => `paid ${step}`,
});
const agent = defineAgent({
  name: 'rotating',
  model: 'openai/gpt-test',
  instructions: 'Be brief.',
  tools: [pay],
  maxIterations: 100,
});

let server: DevServer;
let stack: Stack;
let temporal: Client;
beforeAll(async () => {
  // Workflows rotate after some 40 events instead of a thousand.
  const dynamic = ['--dynamic-config-value', 'limit.historyCount.suggestContinueAsNew=40'];
  server = await startTemporal({ extraArgs: dynamic });
});
afterAll(() => server.kill());
afterEach(() => stack.stop());

async function start(lingerMs = 5_000): Promise<void> {
  stack = await startStack({ agents: [agent], address: server.address, sessionLingerMs: lingerMs });
  temporal = new Client({ connection: stack.connection });
}

function workflowId(session: Session): string {
  return sessionWorkflowId({ owner: session.owner, sessionId: session.id });
}

function signalSubmit(session: Session, id: string) {
  const ref = { owner: session.owner, sessionId: session.id };
  return temporal.workflow.signalWithStart('agentSession', {
    workflowId: workflowId(session),
    taskQueue: stack.taskQueue,
    args: [{ ref, agent: agent.name }],
    signal: submitSignal,
    signalArgs: [{ id, input: id }],
  });
}

async function runsOf(id: string): Promise<number> {
  let runs = 0;
  for await (const run of temporal.workflow.list({ query: `WorkflowId = "${id}"` })) runs += run ? 1 : 0;
  return runs;
}

describe('a session that rotates', () => {
  it('keeps every input that arrives meanwhile, once and in order', async () => {
    await start();
    stack.model.answers(({ lastUserText }) => says(`noted ${lastUserText}`));
    const sessions = ['a', 'b', 'c'].map((id) => stack.session(agent, id));
    const ids = Array.from({ length: 40 }, (_, i) => `input-${i}`);
    await Promise.all(
      sessions.map(async (session) => {
        for (const id of ids) await signalSubmit(session, id);
      }),
    );
    for (const session of sessions) {
      await replay(session, ids.length);
      const turns = (await session.turns({ limit: 200 })).items.toReversed();
      expect(turns.map(({ inputId }) => inputId)).toEqual(ids);
      expect(turns.map(({ finishReason }) => finishReason)).toEqual(ids.map(() => 'model_stop'));
      await expect.poll(() => runsOf(workflowId(session)), { timeout: 20_000 }).toBeGreaterThan(3);
    }
  });
});

describe('a turn that rotates', () => {
  it('keeps every steer and every confirmation that arrives meanwhile, once', async () => {
    await start();
    const steps = 25;
    stack.model.answers((request) => {
      const step = request.results().length + 1;
      return step > steps ? says('All paid.') : calls('pay', { step });
    });
    const session = stack.session(agent);
    const observer = observe(session);
    const turn = await session.submit('Pay them all');
    const handle = temporal.workflow.getHandle(turn.id);
    const answered = new Set<string>();
    for (let step = 1; step <= steps; step += 1) {
      const asked = await observer.find(
        (event) => event.kind === 'require_user_confirm' && !answered.has(event.calls[0]?.callId ?? ''),
      );
      const callId = asked.kind === 'require_user_confirm' ? (asked.calls[0]?.callId ?? '') : '';
      answered.add(callId);
      const confirm = { id: `confirm-${step}`, results: [{ callId, decision: 'allow' as const }] };
      const steer = { id: `steer-${step}`, input: `note ${step}` };
      await Promise.all([
        handle.signal(steerSignal, steer),
        handle.signal(confirmSignal, confirm),
        handle.signal(steerSignal, steer),
        handle.signal(confirmSignal, confirm),
      ]);
    }

    expect(await turn.result({ until: 'end' })).toMatchObject({
      finishReason: 'model_stop',
      text: 'All paid.',
    });
    const messages = await transcript(session);
    const notes = messages
      .filter(({ role, step }) => role === 'user' && step > 0)
      .map(({ content }) => content);
    expect(notes.map(([block]) => (block?.type === 'text' ? block.text : ''))).toEqual(
      Array.from({ length: steps }, (_, i) => `note ${i + 1}`),
    );
    expect(stack.model.requests).toHaveLength(steps + 1);
    for (const request of stack.model.requests) expectPaired(request);
    const results = stack.model.requests
      .at(-1)
      ?.results()
      .map(({ text }) => text);
    expect(results).toEqual(Array.from({ length: steps }, (_, i) => `paid ${i + 1}`));
    await expect.poll(() => runsOf(turn.id), { timeout: 20_000 }).toBeGreaterThan(3);
    await expectWholeStory(observer, session);
    await observer.stop();
  });
});

describe('a session that returns when it is idle', () => {
  it('takes every input that comes just then', async () => {
    await start(1);
    stack.model.answers(({ lastUserText }) => says(`noted ${lastUserText}`));
    // The server's timers take about a second: these pauses spread the inputs around the moment of the return.
    const pausesMs = [850, 950, 1_000, 1_050, 1_100, 1_200];
    await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        const session = stack.session(agent, `s${n}`);
        for (let i = 0; i < 4; i += 1) {
          const id = `input-${i}`;
          if ((n + i) % 2 === 0) await signalSubmit(session, id);
          else await session.submit(id, { idempotencyKey: id });
          await replay(session, i + 1);
          await delay(pausesMs[(n + i) % pausesMs.length]);
        }
        const turns = (await session.turns()).items.toReversed();
        expect(turns.map(({ inputId }) => inputId)).toEqual(['input-0', 'input-1', 'input-2', 'input-3']);
        expect(turns.map(({ finishReason }) => finishReason)).toEqual(turns.map(() => 'model_stop'));
      }),
    );
    expect(stack.model.requests).toHaveLength(48);
  });
});
