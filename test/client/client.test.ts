import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { DurascopeClient, type Session } from '../../src/client/index.ts';
import { reminderWorkflowId } from '../../src/contracts/reminders.ts';
import { taskWorkflowId } from '../../src/contracts/tasks.ts';
import { foldEvents } from '../../src/core/fold-events.ts';
import { openReminders } from '../../src/reminders/reminder-slot.ts';
import { writeDevRecord } from '../../src/settings/dev-record.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { holdTool } from '../support/hold-tool.ts';
import { Latch } from '../support/latch.ts';
import { readEvents, waitForEvent } from '../support/read-events.ts';
import { openTurn } from '../store/sample-session.ts';
import { startStack, type Stack } from '../support/stack.ts';

const pay = defineTool({
  name: 'pay',
  description: 'Pays an amount',
  input: z.object({ amount: z.number().positive() }),
  permission: 'ask',
  suggestRules: () => [{ tool: 'pay', behavior: 'allow' }],
  execute: ({ amount }) => `paid ${amount}`,
});
const appraise = defineTool({
  name: 'appraise',
  description: 'Has something appraised',
  input: z.object({ item: z.string() }),
  external: true,
  permission: 'allow',
});
const removed: string[] = [];
let gate = new Latch();
let entered = new Latch();
const hold = holdTool(() => ({ entered, gate }));
const build = defineTool({
  name: 'build',
  description: 'Builds until it is stopped',
  input: z.object({}),
  permission: 'allow',
  backgroundAfterMs: 1,
  execute: (_, { signal }) =>
    new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')))),
});
const agent = defineAgent({
  name: 'clerk',
  model: 'openai/gpt-test',
  instructions: 'Be brief.',
  tools: [pay, appraise, hold, build],
  reminders: true,
  sources: [
    {
      name: 'box',
      load: async () => ({ tools: [] }),
      remove: async ({ owner, sessionId }) => void removed.push(`${owner}/${sessionId}`),
    },
  ],
});

// One interface, one suite: what differs between the transports is a fault of one of them.
describe.each(['temporal', 'http'] as const)('the client over %s', (transport) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ agents: [agent], transport });
  });
  afterAll(() => stack.stop());

  const sessionOf = (id: string): Session => stack.session(agent, id);

  it('submits, follows, and reads the reply, the transcript and the turn', async () => {
    stack.model.says('Hello.');
    const session = sessionOf('basic');
    const turn = await session.submit('Hi', { idempotencyKey: 'k1' });
    expect(turn).toMatchObject({ turn: 1, status: 'started', after: 0 });
    const events = await readEvents(turn.events());
    const reply = await turn.result();
    expect(reply).toMatchObject({ turnId: turn.id, finishReason: 'model_stop', text: 'Hello.', pending: [] });
    const { items } = await session.messages();
    expect(foldEvents(events)).toEqual(items);
    expect(await turn.get()).toMatchObject({
      state: 'ended',
      finishReason: 'model_stop',
      usage: reply.usage,
    });
    expect((await session.turns()).items).toMatchObject([{ turn: 1, state: 'ended', inputId: 'k1' }]);
    expect(await session.submit('Hi', { idempotencyKey: 'k1' })).toMatchObject({
      id: turn.id,
      status: 'repeated',
    });
    expect(await session.get()).toMatchObject({
      ref: { owner: session.owner, sessionId: 'basic' },
      agent: 'clerk',
      state: 'idle',
      lastTurn: 1,
      usage: reply.usage,
      pending: [],
      tasks: [],
      background: [],
    });
  });

  it('pages through lists by cursors', async () => {
    stack.model.says('re: one').says('re: two');
    const session = sessionOf('pages');
    for (const text of ['one', 'two']) await (await session.submit(text)).result();
    const first = await session.messages({ limit: 3 });
    const rest = await session.messages({ limit: 3, cursor: first.nextCursor ?? '' });
    expect([...first.items, ...rest.items].map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
    expect(rest.nextCursor).toBeUndefined();
    const filter = { agent: 'clerk', state: 'idle' as const, limit: 1 };
    const listed = await stack.caller.sessions(session.owner, filter);
    expect(listed.items).toMatchObject([{ ref: { sessionId: 'pages' }, metadata: {} }]);
    expect(listed.nextCursor).toBeDefined();
    await expect(session.messages({ cursor: 'nonsense' })).rejects.toThrow(/cursor/);
  });

  it('confirms with edited arguments and a rule, once, in the name of who answers', async () => {
    stack.model.calls('pay', { amount: 100 }).calls('pay', { amount: 1 }).says('Done.');
    const session = sessionOf('confirms');
    const turn = await session.submit('Pay', { actor: 'bob' });
    const waiting = await turn.result();
    expect(waiting).toMatchObject({ finishReason: 'permission_asking', content: [], text: '' });
    const [call] = waiting.pending;
    expect(call).toMatchObject({
      name: 'pay',
      arguments: '{"amount":100}',
      state: 'asking',
      sessionId: 'confirms',
    });
    const callId = call?.callId ?? '';
    expect((await stack.caller.gates(session.owner, { state: 'asking' })).items).toMatchObject([{ callId }]);
    expect((await stack.caller.sessionOfCall(session.owner, callId)).id).toBe('confirms');
    await expect(session.submit('More')).rejects.toMatchObject({ code: 'waiting' });
    await expect(
      session.confirm([{ callId, decision: 'allow', input: { amount: -1 } }]),
    ).rejects.toMatchObject({
      code: 'unfit_answer',
      message: expect.stringContaining('amount') as string,
    });
    await session.confirm(
      [{ callId, decision: 'allow', input: { amount: 80 }, remember: call?.suggestedRules ?? [] }],
      { actor: { id: 'ann', roles: ['accounting'] } },
    );
    expect((await turn.result({ until: 'end' })).text).toBe('Done.');
    await expect(session.confirm([{ callId, decision: 'deny' }])).rejects.toMatchObject({ code: 'conflict' });
    const { items } = await session.audit({ callId });
    expect(items.at(-1)).toMatchObject({ by: 'person', actor: 'ann', behavior: 'allow' });
    expect((await session.get())?.permissions.rules).toMatchObject([{ tool: 'pay', behavior: 'allow' }]);
  });

  it('takes results of external tools', async () => {
    stack.model.calls('appraise', { item: 'ring' }).says('Appraised.');
    const session = sessionOf('external');
    const turn = await session.submit('Appraise');
    const [call] = (await turn.result()).pending;
    const callId = call?.callId ?? '';
    expect(call?.state).toBe('submitted');
    await expect(session.confirm([{ callId, decision: 'allow' }])).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(session.reconcile([{ callId, outcome: 'happened', reason: 'seen' }])).rejects.toMatchObject({
      code: 'conflict',
    });
    await session.submitExternalResults([{ callId, state: 'success', content: 'worth 5' }]);
    expect((await turn.result({ until: 'end' })).text).toBe('Appraised.');
    expect(
      stack.model.requests
        .at(-1)
        ?.results()
        .map(({ text }) => text),
    ).toEqual(['worth 5']);
  });

  it('queues, refuses, steers and interrupts while a turn runs', async () => {
    [gate, entered] = [new Latch(), new Latch()];
    stack.model.calls('hold', {}).says('Steered.').says('Next.');
    const session = sessionOf('busy');
    const running = await session.submit('Hold');
    await entered.promise;
    await expect(session.submit('Me too', { ifBusy: 'reject' })).rejects.toMatchObject({ code: 'busy' });
    const queued = await session.submit('Then this');
    expect(queued).toMatchObject({ turn: 2, status: 'queued' });
    expect(await queued.get()).toMatchObject({ state: 'queued' });
    expect(await session.steer('In euros')).toMatchObject({ id: running.id, status: 'steered' });
    await expect(session.erase()).rejects.toMatchObject({ code: 'conflict' });
    gate.open();
    expect((await running.result()).text).toBe('Steered.');
    expect((await queued.result()).text).toBe('Next.');

    stack.model.hangs({ before: 'firstToken' });
    const stuck = await session.submit('Hang');
    await waitForEvent(stuck.events(), 'model_call_start');
    await session.interrupt('enough');
    expect((await stuck.result()).finishReason).toBe('interrupted');
  });

  it('asks for an answer in a form, and refuses a form that no model can be told', async () => {
    stack.model.calls('submit_output', { total: 7 });
    const session = sessionOf('formed');
    const turn = await session.submit('Sum', { output: z.object({ total: z.number() }) });
    const { finishReason, output } = await turn.result();
    expect({ finishReason, output }).toEqual({ finishReason: 'structured_output', output: { total: 7 } });
    await expect(session.submit('When', { output: z.object({ at: z.date() }) })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });

  it('resumes events after a cursor, from the session and from a turn', async () => {
    stack.model.says('Words.');
    const session = sessionOf('resumes');
    const turn = await session.submit('Say');
    const all = await readEvents(turn.events());
    const middle = all[Math.floor(all.length / 2)]?.id ?? 0;
    expect(await readEvents(turn.events({ after: middle }))).toEqual(all.filter(({ id }) => id > middle));
    const stop = new AbortController();
    const seen: number[] = [];
    for await (const { id, kind } of session.events({ after: middle, signal: stop.signal })) {
      seen.push(id);
      if (kind === 'turn_end') stop.abort();
    }
    expect(seen).toEqual(all.flatMap(({ id }) => (id > middle ? id : [])));
  });

  it('begins a session with metadata, keeps its agent, changes its permissions, and erases it', async () => {
    const session = sessionOf('kept');
    expect(await session.exists()).toBe(false);
    expect(await session.get()).toBeUndefined();
    expect(await session.open({ metadata: { ticket: '7' } })).toMatchObject({ metadata: { ticket: '7' } });
    expect(await session.open({ metadata: { ticket: '8' } })).toMatchObject({ metadata: { ticket: '7' } });
    const other = stack.caller.session({ owner: session.owner, id: 'kept', agent: 'other' });
    await expect(other.submit('Hi')).rejects.toMatchObject({ code: 'conflict' });
    expect(await session.setPermissions({ mode: 'explore' })).toMatchObject({ mode: 'explore' });
    await expect(
      session.setPermissions({ addRules: [{ tool: ' ', behavior: 'allow' }] }),
    ).rejects.toMatchObject({
      code: 'invalid_input',
    });
    await session.erase();
    expect(await session.exists()).toBe(false);
    await expect(session.erase()).rejects.toMatchObject({ code: 'not_found' });
    const kept = `${session.owner}/kept`;
    await expect.poll(() => removed.filter((one) => one === kept)).toEqual([kept]);
  });

  it('asks Temporal to delete the runs of a session that is erased: it does so within a minute', async () => {
    stack.model.says('Noted.');
    const session = sessionOf('forgotten');
    const turn = await session.submit('A secret');
    await turn.result();
    const { workflow } = new Client({ connection: stack.connection });
    const isListed = async () => {
      for await (const _ of workflow.list({ query: `WorkflowId = "${turn.id}"` })) return true;
      return false;
    };
    await vi.waitUntil(isListed, { timeout: 20_000 });
    const asked = vi.spyOn(stack.connection.workflowService, 'deleteWorkflowExecution');
    await session.erase({ force: true });
    const deleted = asked.mock.calls.map(
      ([request]) => (request as { workflowExecution: { workflowId: string } }).workflowExecution.workflowId,
    );
    expect(deleted).toContain(turn.id);
  });

  it('erases a session with others at work below it by force alone, and them with it', async () => {
    const session = sessionOf('above');
    await session.open();
    const { sessions } = stack.content.store;
    const ref = (sessionId: string) => ({ owner: session.owner, sessionId });
    const lineage = { kind: 'worker' as const, name: 'ann', relay: 'gates' as const };
    await sessions.open(ref('above.ann'), 'other', { ...lineage, parent: 'above' });
    await sessions.open(ref('above.ann.bob'), 'other', { ...lineage, parent: 'above.ann' });
    await openTurn(stack.content.store, ref('above.ann.bob'), 1);
    await expect(session.erase()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('above.ann.bob'),
    });
    expect(await session.exists()).toBe(true);
    await session.erase({ force: true });
    for (const id of ['above', 'above.ann', 'above.ann.bob'])
      expect(await sessions.get(ref(id))).toBeUndefined();
  });

  it('tells what goes on in the background and stops it; erasing by force ends it, and what is set for later', async () => {
    const remind = ['remind_me_at', { when: '3h', text: 'Look' }] as const;
    stack.model
      .calls([['build', {}], ['build', {}], remind])
      .says('Begun.')
      .says('One is stopped.');
    const session = sessionOf('background');
    await (await session.submit('Build twice')).result();
    const [first, second] = (await session.get())?.background ?? [];
    for (const task of [first, second]) expect(task).toMatchObject({ name: 'build', state: 'running' });
    await session.cancelTask(first?.taskId ?? '', 'one is enough');
    for await (const { kind, turnId } of session.events())
      if (kind === 'turn_end' && turnId.endsWith('/2')) break;
    expect((await session.get())?.background).toMatchObject([{ state: 'cancelled' }, { state: 'running' }]);
    await expect(session.cancelTask('call_none')).rejects.toMatchObject({ code: 'not_found' });

    const ref = { owner: session.owner, sessionId: session.id };
    const [reminder] = await openReminders(stack.content.store, ref);
    await expect(session.erase()).rejects.toMatchObject({ code: 'conflict' });
    await session.erase({ force: true });
    const { workflow } = new Client({ connection: stack.connection });
    for (const id of [
      taskWorkflowId(ref, second?.taskId ?? ''),
      reminderWorkflowId(ref, reminder?.key ?? ''),
    ])
      expect((await workflow.getHandle(id).describe()).status.name).toBe('TERMINATED');
  });

  it('refuses what it cannot take, and names the field', async () => {
    const session = sessionOf('strict');
    await expect(session.submit('  ')).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(session.submit('x'.repeat(5 * 1024 * 1024))).rejects.toMatchObject({
      code: 'invalid_input',
    });
    await expect(
      session.submit([{ type: 'data', mediaType: 'png', source: { type: 'url', url: 'x' } }]),
    ).rejects.toThrow(/input.*mediaType/);
    await expect(session.confirm(null as never)).rejects.toMatchObject({ code: 'invalid_input' });
    for (const answering of [
      session.confirm([{ callId: 'call_none', decision: 'allow', inputs: {} } as never]),
      session.submitExternalResults([
        { callId: 'call_none', state: 'success', content: '', output: 1 } as never,
      ]),
      session.reconcile([{ callId: 'call_none', outcome: 'happened', reason: 'x', result: 1 } as never]),
      session.setPermissions({ mode: 'Explore' as never }),
      session.setPermissions({ addRules: [{ tool: 'pay', patern: 'amount=1', behavior: 'allow' } as never] }),
    ])
      await expect(answering).rejects.toMatchObject({
        code: 'invalid_input',
        message: expect.stringMatching(
          /"(inputs|output|result)": it may have callId|one of default, explore|unknown field patern/,
        ) as string,
      });
    await expect(session.confirm([{ callId: 'call_none', decision: 'allow' }])).rejects.toMatchObject({
      code: 'not_found',
    });
    const { owner } = session;
    await expect(stack.caller.session({ owner, id: 'nobody' }).submit('Hi')).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(() => stack.caller.session({ owner: 'a/b', id: 'x' })).toThrow(/owner "a\/b"/);
    expect(() => session.turn(0)).toThrow(/numbered from 1/);
    await expect(session.turn(99).result()).rejects.toMatchObject({ code: 'not_found' });
    expect(await session.turn(99).get()).toBeUndefined();
    await expect(stack.caller.sessionOfCall(owner, 'call_none')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is not opened with options that it would not read', async () => {
    const options = transport === 'http' ? { baseUrl: 'http://localhost:1', key: 'k' } : { address: 'here' };
    await expect(DurascopeClient.connect(options as never)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(
        /unknown field "(key|address)": it may have (baseUrl|store), /,
      ) as string,
    });
  });

  it.runIf(transport === 'temporal')('finds the durascope dev of its folder, as commands do', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'durascope-dev-'));
    const { address, storeUrl: store, taskQueue } = stack;
    const record = { pid: process.pid, address, namespace: 'default', store, taskQueue, agents: ['clerk'] };
    writeDevRecord(join(folder, '.durascope'), record);
    vi.stubEnv('TEMPORAL_ADDRESS', undefined);
    vi.stubEnv('DURASCOPE_STORE', undefined);
    const before = process.cwd();
    process.chdir(folder);
    try {
      const client = await DurascopeClient.connect();
      stack.model.says('Here.');
      const session = client.session({ owner: 'dev', id: 'found', agent: 'clerk' });
      expect((await (await session.submit('Are you there?')).result()).text).toBe('Here.');
      await client.close();
    } finally {
      process.chdir(before);
      vi.unstubAllEnvs();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('says how its dependencies are, and what was used', async () => {
    expect(await stack.caller.health()).toEqual({ store: 'ok', temporal: 'ok' });
    const { owner } = sessionOf('any');
    const today = new Date().toISOString().slice(0, 10);
    const days = await stack.caller.usage(owner, { from: today, to: today });
    expect(days.at(-1)).toMatchObject({ agent: 'clerk' });
  });
});
