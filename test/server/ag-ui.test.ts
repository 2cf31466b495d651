import { HttpAgent } from '@ag-ui/client';
import type { Message } from '@ag-ui/core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { agentTool } from '../../src/agents/agent-tool.ts';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { calls, says, thinks } from '../../src/testing/index.ts';
import { askUser } from '../../src/tools/ask-user.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { AgUiPage } from '../support/ag-ui-page.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { holdTool } from '../support/hold-tool.ts';
import { Latch } from '../support/latch.ts';
import { startStack, type Stack } from '../support/stack.ts';

let entered = new Latch();
let letGo = new Latch();
const pay = defineTool({
  name: 'pay',
  description: 'Pays an amount',
  input: z.object({ amount: z.number() }),
  permission: 'ask',
  execute: ({ amount }) => ({ paid: amount }),
});
const hold = holdTool(() => ({ entered, gate: letGo }), 'holding');
const locate = defineTool({
  name: 'locate',
  description: 'Asks the page where it is',
  input: z.object({}),
  external: true,
  permission: 'allow',
});
const settings = { model: 'openai/gpt-test', instructions: 'Be brief.' };
const clerk = defineAgent({ ...settings, name: 'clerk', description: 'Pays', tools: [pay] });
const agent = defineAgent({
  ...settings,
  name: 'payer',
  instructions: 'I am the payer.',
  tools: [pay, hold, locate, askUser(), agentTool(clerk)],
  tasks: true,
});

/** Gives a silent endpoint up soon. */
const hasty = defineAgent({ ...settings, name: 'hasty', timeouts: { idleMs: 1_500 } });

// Suites share one Temporal: none may use the sessions of another.
const owner = 'ag-ui';
let stack: Stack;
let api: TestApi;
beforeAll(async () => {
  stack = await startStack({ agents: [agent, hasty] });
  api = await startApi(stack, { agents: [agent, hasty, clerk], owner });
});
const warn = vi.spyOn(console, 'warn');
beforeEach(() => void warn.mockClear());
afterEach(() => {
  stack.model.assertDone();
  // The client warns of what it had to leave out, or could not apply.
  expect(warn.mock.calls).toEqual([]);
});
afterAll(async () => {
  await api.close();
  await stack.stop();
});

const page = (threadId: string, of = 'payer', messages: Message[] = []) =>
  new AgUiPage(`${api.url}/v1/agents/${of}/ag-ui`, threadId, messages);
const allow = (interruptId: string, rest: object = {}) => ({
  interruptId,
  status: 'resolved' as const,
  payload: { approved: true, ...rest },
});
/** What a page that is loaded again shows. */
async function reloaded(threadId: string, of?: string): Promise<AgUiPage> {
  const back = page(threadId, of);
  await back.connectAgent();
  return back;
}
async function refused(run: Promise<unknown>): Promise<object> {
  const error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const failure: { status?: number; payload?: string } = await run.then(
    () => ({}),
    (reason: object) => reason,
  );
  error.mockRestore();
  return { status: failure.status, ...(JSON.parse(failure.payload ?? '{}') as object) };
}

describe('an AG-UI client', () => {
  it('streams an answer, and shows the same when it is loaded again', async () => {
    stack.model.thinks('hmm', says('Hello there.'));
    const chat = page('plain').say('u1', 'Hi');
    const { result } = await chat.runAgent();
    expect(chat.shown).toEqual(['user: Hi', 'reasoning: hmm', 'Hello there.']);
    expect(result).toEqual({ finishReason: 'model_stop' });
    expect(chat.outcome).toEqual({ type: 'success' });
    expect(chat.events.at(-1)).toMatchObject({
      usage: [{ provider: 'openai', model: 'gpt-test', totalTokens: expect.any(Number) }],
    });
    expect(chat.ofType('STEP_STARTED')).toHaveLength(1);
    expect((await reloaded('plain')).messages).toEqual(chat.messages);
    stack.model.says('Again.');
    await chat.say('u2', 'And?').runAgent();
    expect(chat.shown.slice(3)).toEqual(['user: And?', 'Again.']);
    expect((await reloaded('plain')).messages).toEqual(chat.messages);
  });

  it('approves a call', async () => {
    stack.model.calls('pay', { amount: 5 }, { text: 'Paying.' }).says('Paid.');
    const chat = page('approve').say('u1', 'Pay');
    await chat.runAgent();
    const [interrupt] = chat.pendingInterrupts;
    expect(interrupt).toMatchObject({
      reason: 'tool_call',
      toolCallId: interrupt?.id,
      message: expect.stringContaining('Allow pay?'),
      responseSchema: { required: ['approved'] },
      metadata: { durascope: { name: 'pay', arguments: { amount: 5 } } },
    });
    await chat.runAgent({ resume: [allow(interrupt?.id ?? '', { reason: 'fine' })] });
    expect(chat.pendingInterrupts).toEqual([]);
    expect(chat.shown).toEqual([
      'user: Pay',
      'Paying.',
      ['pay', '{"amount":5}'],
      'tool: {"paid":5}',
      'Paid.',
    ]);
    expect(chat.ofType('TOOL_CALL_START')).toHaveLength(1);
    expect((await reloaded('approve')).messages).toEqual(chat.messages);
    const { body } = await api.get('/v1/sessions/approve/audit');
    expect(body.items.at(-1)).toMatchObject({ by: 'person', reason: 'fine' });
  });

  it('edits what it approves, and denies', async () => {
    stack.model
      .calls('pay', { amount: 5 })
      .calls('pay', { amount: 7 })
      .calls('pay', { amount: 8 })
      .says('Done.');
    const chat = page('edit').say('u1', 'Pay');
    await chat.runAgent();
    await chat.runAgent({
      resume: [allow(chat.pendingInterrupts[0]?.id ?? '', { editedArgs: { amount: 1 } })],
    });
    expect(chat.shown.at(-2)).toBe('tool: {"paid":1}');
    const denial = { approved: false, reason: 'too much' };
    const [second] = chat.pendingInterrupts;
    await chat.runAgent({
      resume: [{ interruptId: second?.id ?? '', status: 'resolved', payload: denial }],
    });
    expect(stack.model.requests.at(-1)?.messages.at(-1)?.text).toContain('too much');
    const [third] = chat.pendingInterrupts;
    await chat.runAgent({ resume: [{ interruptId: third?.id ?? '', status: 'cancelled' }] });
    expect(chat.shown.at(-1)).toBe('Done.');
    expect(chat.messages.filter((message) => message.metadata)).toMatchObject([
      { role: 'tool', metadata: { durascope: { state: 'denied' } } },
      { role: 'tool', metadata: { durascope: { state: 'denied' } } },
    ]);
    expect((await reloaded('edit')).messages).toEqual(chat.messages);
  });

  it('approves after a reload', async () => {
    stack.model.calls('pay', { amount: 5 }).calls('pay', { amount: 6 }).says('Paid twice.');
    await page('reload').say('u1', 'Pay').runAgent();
    for (const amount of [5, 6]) {
      const chat = await reloaded('reload');
      expect(chat.shown.at(-1)).toEqual(['pay', JSON.stringify({ amount })]);
      expect(chat.pendingInterrupts).toHaveLength(1);
      await chat.runAgent({ resume: [allow(chat.pendingInterrupts[0]?.id ?? '')] });
    }
    const chat = await reloaded('reload');
    expect(chat.shown.filter((one) => typeof one === 'string')).toEqual([
      'user: Pay',
      'tool: {"paid":5}',
      'tool: {"paid":6}',
      'Paid twice.',
    ]);
    expect(chat.outcome).toEqual({ type: 'success' });
  });

  it.each(['the same page', 'a page that is loaded again'])(
    'loses nothing and repeats nothing when the connection breaks: %s',
    async (who) => {
      [entered, letGo] = [new Latch(), new Latch()];
      const id = who === 'the same page' ? 'dropped' : 'dropped-reload';
      stack.model.queue(thinks('hmm', calls('hold', {}, { text: 'Holding.' }))).says('Done.');
      const chat = page(id).say('u1', 'Hold');
      const running = refused(chat.runAgent());
      await entered.promise;
      await expect.poll(() => chat.shown.length, { timeout: 30_000 }).toBe(4);
      chat.dropped.abort();
      await running;
      const back = who === 'the same page' ? chat : page(id);
      const resumed = back.runAgent();
      const before = ['user: Hold', 'reasoning: hmm', 'Holding.', ['hold', '{}']];
      await expect.poll(() => back.shown, { timeout: 30_000 }).toEqual(before);
      letGo.open();
      await resumed;
      expect(back.shown).toEqual([...before, 'tool: held', 'Done.']);
      expect((await reloaded(id)).messages).toEqual(back.messages);
    },
  );

  it('is told that the server goes away, and goes on at another', async () => {
    [entered, letGo] = [new Latch(), new Latch()];
    stack.model.calls('hold').says('Done.');
    const leaving = await startApi(stack, { agents: [agent], owner });
    const chat = new AgUiPage(`${leaving.url}/v1/agents/payer/ag-ui`, 'drained').say('u1', 'Hold');
    const running = chat.runAgent();
    await entered.promise;
    await Promise.all([leaving.close(), running]);
    expect(chat.outcome).toMatchObject({ type: 'RUN_ERROR', code: 'draining' });
    letGo.open();
    chat.url = page('drained').url;
    await chat.runAgent();
    expect(chat.shown).toEqual(['user: Hold', ['hold', '{}'], 'tool: held', 'Done.']);
  });

  it('sends an answer again when its connection broke', async () => {
    [entered, letGo] = [new Latch(), new Latch()];
    stack.model.calls('pay', { amount: 5 }).calls('hold').says('Paid.');
    const chat = page('again').say('u1', 'Pay');
    await chat.runAgent();
    const resume = [allow(chat.pendingInterrupts[0]?.id ?? '')];
    const running = refused(chat.runAgent({ resume }));
    await entered.promise;
    chat.dropped.abort();
    await running;
    expect(chat.pendingInterrupts).toHaveLength(1);
    letGo.open();
    await chat.runAgent({ resume });
    expect(chat.shown.slice(-3)).toEqual([['hold', '{}'], 'tool: held', 'Paid.']);
    expect((await reloaded('again')).messages).toEqual(chat.messages);
  });

  it('takes back what a failed attempt of the model had said and thought', async () => {
    const cut = thinks(
      'These thoughts are cut off.',
      says('So is this text, which is long enough.', { fragment: 4 }),
    );
    stack.model.hangs({ before: 'afterChunks', chunks: 12, step: cut }).thinks('better', says('Whole.'));
    const chat = page('retried', 'hasty').say('u1', 'Hi');
    let taken: unknown[] = [];
    chat.subscribe({ onMessagesSnapshotEvent: ({ messages }) => void (taken = [...taken, messages.length]) });
    await chat.runAgent();
    expect(taken).toEqual([1, 3]);
    expect(chat.shown).toEqual(['user: Hi', 'reasoning: better', 'Whole.']);
    expect((await reloaded('retried', 'hasty')).messages).toEqual(chat.messages);
  });

  it('runs a tool of the page', async () => {
    const tools = [{ name: 'locate', description: 'Where the page is', parameters: {} }];
    stack.model.calls('locate', {}).says('You are in Ulm.');
    const first = page('page').say('u1', 'Where am I?');
    await first.runAgent({ tools });
    const chat = page('page');
    await chat.runAgent({ tools });
    for (const { outcome } of [first, chat])
      expect(outcome).toEqual({ type: 'success', pendingToolCallIds: [expect.any(String)] });
    expect(chat.messages).toEqual(first.messages);
    const [toolCallId] = chat.outcome.pendingToolCallIds;
    chat.addMessage({ id: 't1', role: 'tool', toolCallId, content: 'Ulm' });
    await chat.runAgent({ tools });
    expect(chat.shown.slice(-2)).toEqual(['tool: Ulm', 'You are in Ulm.']);
  });

  it("gives the result of a tool that is not the page's as an answer", async () => {
    stack.model.calls('locate', {}).says('You are in Ulm.');
    const chat = page('external').say('u1', 'Where am I?');
    await chat.runAgent();
    const [interrupt] = chat.pendingInterrupts;
    expect(interrupt?.reason).toBe('durascope:external_result');
    await chat.runAgent({
      resume: [{ interruptId: interrupt?.id ?? '', status: 'resolved', payload: { content: 'Ulm' } }],
    });
    expect(chat.shown.slice(-2)).toEqual(['tool: Ulm', 'You are in Ulm.']);
  });

  it('answers a question', async () => {
    stack.model.calls('ask_user', { question: 'Which account?' }).says('Thanks.');
    const chat = page('question').say('u1', 'Pay');
    await chat.runAgent();
    const [interrupt] = chat.pendingInterrupts;
    expect(interrupt).toMatchObject({ reason: 'input_required', message: 'Which account?' });
    await chat.runAgent({
      resume: [{ interruptId: interrupt?.id ?? '', status: 'resolved', payload: { answer: 'savings' } }],
    });
    expect(chat.shown.at(-1)).toBe('Thanks.');
    expect(stack.model.requests.at(-1)?.messages.at(-1)?.text).toContain('savings');
  });

  it('shows a subagent, and answers what it asks', async () => {
    stack.model
      .when(({ system }) => system.includes('I am the payer.'))
      .calls('clerk', { prompt: 'Pay 5' })
      .says('The clerk paid.');
    stack.model
      .when(({ system }) => system.includes('Be brief.'))
      .calls('pay', { amount: 5 })
      .says('Paid.');
    const chat = page('below').say('u1', 'Pay');
    await chat.runAgent();
    const [started] = chat.ofType('SUBAGENT_STARTED');
    expect(started).toMatchObject({ name: 'clerk-1-1-1', description: 'clerk' });
    const [interrupt] = chat.pendingInterrupts;
    expect(interrupt).toMatchObject({ subagentRunId: started.subagentRunId });
    expect(chat.ofType('SUBAGENT_FINISHED')).toMatchObject([
      { outcome: { type: 'suspended', interruptIds: [interrupt?.id] } },
    ]);
    const back = await reloaded('below');
    expect(back.pendingInterrupts).toEqual(chat.pendingInterrupts);
    await back.runAgent({ resume: [allow(interrupt?.id ?? '')] });
    expect(back.shown.at(-1)).toBe('The clerk paid.');
    expect(back.ofType('SUBAGENT_FINISHED').at(-1)).toMatchObject({ outcome: { type: 'success' } });
    expect((await reloaded('below')).messages).toEqual(back.messages);
  });

  it('shares the plan as state, beside what the page keeps there', async () => {
    stack.model.calls('task_create', { subject: 'Pay', description: 'Pay 5' }).says('Noted.');
    const chat = page('tasks').say('u1', 'Plan');
    chat.setState({ theme: 'dark' });
    await chat.runAgent();
    expect(chat.state).toMatchObject({ theme: 'dark', tasks: { 1: { subject: 'Pay', state: 'pending' } } });
    const back = await reloaded('tasks');
    expect(back.state).toEqual({ tasks: chat.state.tasks });
  });

  it('says how a turn ended that failed, or was stopped', async () => {
    stack.model.fails(400);
    const chat = page('failed').say('u1', 'Hi');
    await chat.runAgent();
    expect(chat.outcome).toMatchObject({ type: 'RUN_ERROR', code: expect.any(String) });

    [entered, letGo] = [new Latch(), new Latch()];
    stack.model.calls('hold');
    const stopped = page('stopped').say('u1', 'Hold');
    const running = stopped.runAgent();
    await entered.promise;
    await api.post('/v1/sessions/stopped/interrupt', {});
    await running;
    expect(stopped.outcome).toEqual({ type: 'cancelled' });
    letGo.open();
  });

  it('keeps the order of a conversation that went on elsewhere', async () => {
    stack.model.says('One.').says('Two.').says('Three.');
    const chat = page('elsewhere').say('u1', '1');
    await chat.runAgent();
    await page('elsewhere', 'payer', chat.messages).say('u2', '2').runAgent();
    await chat.say('u3', '3').runAgent();
    const all = await reloaded('elsewhere');
    expect(all.shown).toEqual(['user: 1', 'One.', 'user: 2', 'Two.', 'user: 3', 'Three.']);
    expect(new Set(chat.shown)).toEqual(new Set(all.shown));
  });
});

describe('a wrong request', () => {
  it('is told what is wrong, and changes nothing', async () => {
    stack.model.calls([
      ['pay', { amount: 5 }],
      ['pay', { amount: 6 }],
    ]);
    const chat = page('wrong').say('u1', 'Pay');
    await chat.runAgent();
    const again = (resume: unknown) =>
      refused(new HttpAgent({ url: chat.url, threadId: 'wrong' }).runAgent({ resume: resume as never }));
    const ids = chat.pendingInterrupts.map(({ id }) => id);
    const [a = '', b = ''] = ids;
    expect(ids).toHaveLength(2);
    expect(await again([{ ...allow(a), payload: { approved: 'yes' } }])).toMatchObject({ status: 400 });
    expect(await again([{ ...allow(a), payload: undefined }])).toMatchObject({ status: 400 });
    expect(await again([allow(a, { edited_args: {} })])).toMatchObject({ status: 400 });
    expect(await again([allow(a), allow(a)])).toMatchObject({ status: 400 });
    expect(await again([allow('nobody')])).toMatchObject({ status: 404 });
    expect(await again([allow(a)])).toMatchObject({ status: 400, detail: expect.stringContaining(b) });
    expect(await refused(page('wrong').say('u2', 'Go on').runAgent())).toMatchObject({ status: 409 });
    expect((await api.get('/v1/sessions/wrong')).body.pending).toHaveLength(ids.length);

    stack.model.says('Paid.');
    await chat.runAgent({ resume: ids.map((id) => allow(id)) });
    const late = { interruptId: a, status: 'resolved', payload: { approved: false } };
    expect(await again([late])).toMatchObject({ status: 409 });
  });

  it('is refused before its stream begins', async () => {
    const post = (body: object) => api.post('/v1/agents/payer/ag-ui', body);
    const input = { threadId: 'none', runId: 'r1', messages: [{ id: 'm1', role: 'user', content: 'Hi' }] };
    expect(await post({ ...input, threadId: 'a b' })).toMatchObject({ status: 400 });
    expect(await post({ ...input, runId: '' })).toMatchObject({ status: 400 });
    const tools = [{ name: 'delete_all', description: '' }];
    expect(await post({ ...input, tools })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('external: true') },
    });
    expect(await api.post('/v1/agents/nobody/ag-ui', input)).toMatchObject({ status: 404 });
    const content = [{ type: 'image', source: { type: 'file', value: 'f1' } }];
    expect(await post({ ...input, messages: [{ id: 'm1', role: 'user', content }] })).toMatchObject({
      status: 400,
    });
    expect((await api.get('/v1/sessions/none')).status).toBe(404);
    await api.post('/v1/sessions', { agent: 'clerk', sessionId: 'taken' });
    expect(await post({ ...input, threadId: 'taken' })).toMatchObject({ status: 409 });
    expect(await refused(page('taken').connectAgent())).toMatchObject({ status: 409 });
  });

  it('answers no gate without the scope to approve', async () => {
    stack.model.calls('pay', { amount: 5 });
    const chat = page('scope').say('u1', 'Pay');
    await chat.runAgent();
    const runner = await startApi(stack, {
      agents: [agent],
      authenticate: () => Promise.resolve({ owner, id: 'app', roles: [], scopes: ['run', 'read'] }),
    });
    const other = new AgUiPage(`${runner.url}/v1/agents/payer/ag-ui`, 'scope');
    expect(
      await refused(other.runAgent({ resume: [allow(chat.pendingInterrupts[0]?.id ?? '')] })),
    ).toMatchObject({ status: 403, code: 'missing_scope' });
    await runner.close();
    expect((await api.get('/v1/sessions/scope')).body.pending).toHaveLength(1);
  });
});
