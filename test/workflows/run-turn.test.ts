import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client, type WorkflowClient, type WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { submitTurn } from '../../src/activities/submit-turn.ts';
import { createAgentRegistry } from '../../src/agents/agent-registry.ts';
import { defineAgent } from '../../src/agents/define-agent.ts';
import type { Flow } from '../../src/client/index.ts';
import { calls, fails, says } from '../../src/testing/index.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { createWorker } from '../../src/worker/create-worker.ts';
import { pay } from '../support/pay-tool.ts';
import { startStack, type Stack } from '../support/stack.ts';

const wire = defineTool({
  name: 'wire',
  description: 'Wires money',
  input: z.object({}),
  permission: 'ask',
  approval: { by: 'not_requester' },
  execute: () => 'wired',
});
const base = { model: 'openai/gpt-test', instructions: 'Be brief.', maxModelAttempts: 1 };
const agents = [
  defineAgent({ ...base, name: 'writer', tools: [pay] }),
  defineAgent({ ...base, name: 'critic' }),
  defineAgent({ ...base, name: 'banker', instructions: 'Wire.', tools: [wire] }),
];
const workflowsPath = fileURLToPath(new URL('user-workflows.ts', import.meta.url));

let stack: Stack;
let workflow: WorkflowClient;
let owner: string;
beforeAll(async () => {
  stack = await startStack({ agents, workflowsPath });
  ({ workflow } = new Client({ connection: stack.connection }));
});
beforeEach(() => {
  owner = `owner-${randomUUID()}`;
});
afterAll(() => stack.stop());

function start(name: string, ...args: unknown[]): Promise<WorkflowHandle> {
  const workflowId = `mine/${name}-${randomUUID()}`;
  return workflow.start(name, { taskQueue: stack.taskQueue, workflowId, args });
}
const run = async (name: string, ...args: unknown[]) => (await start(name, ...args)).result() as unknown;

async function sessionIds(): Promise<string[]> {
  return (await stack.client.sessions(owner)).items.map(({ ref }) => ref.sessionId);
}

describe('a turn inside a workflow of a user', () => {
  it('answers, in a session of its own that says whose it is', async () => {
    stack.model.says('Whales sing.').says('Too short.');
    expect(await run('relay', owner, ['writer', 'critic'], 'About whales')).toBe('Too short.');
    expect(stack.model.requests.at(-1)?.messages.at(-1)?.text).toBe('Whales sing.');
    const ids = await sessionIds();
    expect(ids).toHaveLength(2);
    for (const id of ids) expect(id).toMatch(/^mine\.relay-.*\.[0-9a-f]{8}$/);
    const session = stack.client.session({ owner, id: ids[0] ?? '' });
    expect(await session.get()).toMatchObject({ state: 'idle', lastTurn: 1, pending: [] });
  });

  it('gives an answer on whole, however long it is', async () => {
    const long = 'very '.repeat(8_000);
    stack.model.says(long).says('Long.');
    expect(await run('relay', owner, ['writer', 'critic'], 'Write much')).toBe('Long.');
    expect(stack.model.requests.at(-1)?.messages.at(-1)?.text).toBe(long);
  });

  it('goes through the inbox of a named session, one after the other', async () => {
    const id = `talk-${randomUUID()}`;
    stack.model.says('One.').says('Two.').says('Three.');
    const first = await run('conversation', owner, id, ['a', 'b']);
    expect(first).toEqual(['One.', 'Two.']);
    expect(stack.model.requests.at(-1)?.messages.map(({ text }) => text)).toEqual(['a', 'One.', 'b']);
    // It is a session as any other.
    const turn = await stack.client.session({ owner, id }).submit('c');
    expect((await turn.result()).text).toBe('Three.');
    expect(turn.turn).toBe(3);
  });

  it('waits at a gate for as long as it takes, and people answer it as any other', async () => {
    stack.model.calls('pay', {}).says('Paid.');
    const handle = await start('relay', owner, ['writer'], 'Pay');
    const { callId } = await gateOf(owner);
    const session = await stack.client.sessionOfCall(owner, callId);
    await session.confirm([{ callId, decision: 'allow' }]);
    expect(await handle.result()).toBe('Paid.');
  });

  it('is let be by what is written to its session, which takes it when the workflow has ended', async () => {
    stack.model.calls('pay', {}).says('Not paid.').says('Later.');
    const handle = await start('relay', owner, ['writer'], 'Pay');
    const { callId, sessionId } = await gateOf(owner);
    const session = stack.client.session({ owner, id: sessionId });
    const refused = { code: 'conflict', message: expect.stringContaining(handle.workflowId) as string };
    await expect(session.submit('And?', { ifBusy: 'queue' })).rejects.toMatchObject(refused);
    await expect(session.steer('And?')).rejects.toMatchObject(refused);
    // As with Temporal's own tools.
    const raw = workflow.execute('agentSession', {
      workflowId: `session/${owner}/${sessionId}`,
      taskQueue: stack.taskQueue,
      args: [{ ref: { owner, sessionId }, agent: 'writer' }],
    });
    await expect(raw).rejects.toThrow();
    await session.confirm([{ callId, decision: 'deny' }]);
    expect(await handle.result()).toBe('Not paid.');
    expect((await (await session.submit('And now?')).result()).text).toBe('Later.');
  });

  it('knows who asks, through an answer too: others decide under four eyes', async () => {
    const id = `talk-${randomUUID()}`;
    const scheduled = { owner, schedule: 'daily', agent: 'banker', input: 'Pay', actor: 'ann' };
    const flow: Flow = { kind: 'turn', agent: 'banker' };
    for (const begin of [
      () => start('onBehalf', owner, 'ann', id),
      () => start('scheduledTurn', { ...scheduled, permissionMode: 'default' }),
      () => stack.client.pipelines.start({ owner, flow, input: 'Pay', actor: 'ann' }),
    ]) {
      stack.model.answers(({ system, messages }) => {
        if (system !== 'Wire.') return says('Pay.');
        return messages.at(-1)?.role === 'tool' ? says('Paid.') : calls('wire', {});
      });
      const begun = await begin();
      const { callId } = await gateOf(owner);
      const session = await stack.client.sessionOfCall(owner, callId);
      const allowed = [{ callId, decision: 'allow' as const }];
      await expect(session.confirm(allowed, { actor: 'ann' })).rejects.toMatchObject({ code: 'forbidden' });
      await session.confirm(allowed, { actor: 'bob' });
      await begun.result();
    }
  });

  it('runs in a loop until the answer is good, or the limit is reached', async () => {
    stack.model.says('bad').says('good').says('bad').says('bad');
    expect(await run('untilGood', owner, 5)).toBe('good');
    expect(await run('untilGood', owner, 2)).toBe('bad');
  });

  it('fans out: results in order, failures reported, the rest unharmed', async () => {
    stack.model.answers(({ messages }) => {
      const text = messages.at(-1)?.text ?? '';
      return text === 'two' ? fails(401) : says(text.toUpperCase());
    });
    const results = (await run('forEach', owner, ['one', 'two', 'three', 'four'], 2)) as string[];
    expect(results.filter((_, i) => i !== 1)).toEqual(['ONE', 'THREE', 'FOUR']);
    expect(results[1]).toMatch(/^failed: turn\/.* ended without an answer/);
  });

  it('answers in a form that was asked for', async () => {
    stack.model.calls('submit_output', { n: 7 });
    expect(await run('structured', owner)).toEqual({ n: 7 });
  });

  it('tells why it failed: the model, or an agent that no worker knows', async () => {
    stack.model.fails(401);
    expect(await run('tellFailure', owner, 'writer')).toMatchObject({
      finishReason: 'error',
      error: { code: 'ModelAuthentication' },
    });
    expect(await run('tellFailure', owner, 'nobody')).toMatch(
      /^AgentNotFound: There is no agent "nobody".*writer, critic, banker/,
    );
  });

  it('is interrupted when its workflow is cancelled, and leaves a session that works', async () => {
    stack.model.calls('pay', {}).says('Again.');
    const handle = await start('relay', owner, ['writer'], 'Pay');
    await gateOf(owner);
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow();
    const [id = ''] = await sessionIds();
    const session = stack.client.session({ owner, id });
    expect((await session.turns()).items).toMatchObject([{ state: 'ended', finishReason: 'interrupted' }]);
    expect((await (await session.submit('Once more')).result()).text).toBe('Again.');
  });

  it('is interrupted in a session of its own name as well, or withdrawn while it waits there', async () => {
    const id = `talk-${randomUUID()}`;
    stack.model.calls('pay', {}).says('Next.');
    const first = await start('conversation', owner, id, ['a']);
    await gateOf(owner);
    const second = await start('conversation', owner, id, ['b']);
    const session = stack.client.session({ owner, id });
    while ((await session.turn(2).get())?.state !== 'queued') await pause();
    await second.cancel();
    while (!(await hasSignalled(second))) await pause();
    await first.cancel();
    for (const handle of [first, second]) await expect(handle.result()).rejects.toThrow('cancelled');
    expect((await (await session.submit('c')).result()).text).toBe('Next.');
    expect((await session.turns()).items).toMatchObject([
      { turn: 3, finishReason: 'model_stop' },
      { turn: 2, finishReason: 'interrupted' },
      { turn: 1, finishReason: 'interrupted' },
    ]);
    expect(stack.model.requests.at(-1)?.messages.map(({ text }) => text)).toContain('c');
  });

  it('fails when its session is erased, and does not bring it back', async () => {
    stack.model.calls('pay', {});
    const handle = await start('relay', owner, ['writer'], 'Pay');
    const { sessionId } = await gateOf(owner);
    const session = stack.client.session({ owner, id: sessionId });
    await session.erase({ force: true });
    await expect(handle.result()).rejects.toThrow();
    // Asked for a turn in a named session again, it says so.
    const named = { ref: { owner, sessionId }, agent: 'writer', inputId: 'i', content: 'x', replyTo: 'w' };
    const deps = { store: stack.content.store, agents: createAgentRegistry(agents) };
    await expect(submitTurn(deps, { ...named, isAgain: true })).rejects.toThrow('was erased');
    expect(await session.exists()).toBe(false);
  });

  it('needs a module of workflows that is there', async () => {
    await expect(
      createWorker({ agents, workflowsPath: '/nowhere/workflows.ts', store: 'sqlite::memory:' }),
    ).rejects.toThrow('there is no file /nowhere/workflows.ts');
  });
});

/** Resolves with the first call of the owner's sessions that waits. */
async function gateOf(of: string) {
  for (;;) {
    const [call] = (await stack.client.gates(of)).items;
    if (call) return call;
    await pause();
  }
}

/** The session has been told, before whatever it is told next. */
async function hasSignalled(handle: WorkflowHandle): Promise<boolean> {
  const { events } = await handle.fetchHistory();
  return events?.some((event) => event.externalWorkflowExecutionSignaledEventAttributes) === true;
}

function pause(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 50));
}
