import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client, type WorkflowClient, type WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { fails, says } from '../../src/testing/index.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { createWorker } from '../../src/worker/create-worker.ts';
import { startStack, type Stack } from '../support/stack.ts';

const pay = defineTool({
  name: 'pay',
  description: 'Pays',
  input: z.object({}),
  permission: 'ask',
  execute: () => 'paid',
});
const base = { model: 'openai/gpt-test', instructions: 'Be brief.', maxModelAttempts: 1 };
const agents = [
  defineAgent({ ...base, name: 'writer', tools: [pay] }),
  defineAgent({ ...base, name: 'critic' }),
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
      /^AgentNotFound: There is no agent "nobody".*writer, critic/,
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
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
