import { Client } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentTool } from '../../src/agents/agent-tool.ts';
import { defineAgent } from '../../src/agents/define-agent.ts';
import type { Session } from '../../src/client/index.ts';
import { turnIdOf } from '../../src/contracts/ids.ts';
import { taskWorkflowId } from '../../src/contracts/tasks.ts';
import type { AgentEvent, EventKind } from '../../src/schema/event.ts';
import { says } from '../../src/testing/index.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { Latch } from '../support/latch.ts';
import { startStack, type Stack } from '../support/stack.ts';

let [gate, entered, finish] = [new Latch(), new Latch(), new Latch()];
const hold = defineTool({
  name: 'hold',
  description: 'Holds until the test lets go',
  input: z.object({}),
  readOnly: true,
  async execute(_, { signal }) {
    entered.open();
    await Promise.race([
      gate.promise,
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')))),
    ]);
    return 'held';
  },
});
const build = defineTool({
  name: 'build',
  description: 'Builds, for a while',
  input: z.object({ fails: z.boolean().optional() }),
  permission: 'allow',
  backgroundAfterMs: 1,
  async execute({ fails }, { progress, signal }) {
    progress({ message: 'begun', fraction: 0.1 });
    entered.open();
    await Promise.race([
      gate.promise,
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')))),
    ]);
    progress({ message: 'nearly done', fraction: 0.9 });
    await finish.promise;
    if (fails) throw new Error('the build broke');
    return 'built';
  },
});
const quick = defineTool({
  name: 'quick',
  description: 'Is done at once',
  input: z.object({}),
  permission: 'allow',
  backgroundAfterMs: 600_000,
  execute: () => 'done at once',
});
const settings = { model: 'openai/gpt-test', maxIterations: 5 };
const worker = defineAgent({
  ...settings,
  name: 'worker',
  instructions: 'I am the worker.',
  tools: [hold, build],
});
const chief = defineAgent({
  ...settings,
  name: 'chief',
  instructions: 'I am the chief.',
  tools: [
    agentTool(worker, { mode: 'background', limits: { breadth: 2 } }),
    agentTool(worker, { name: 'choice', mode: 'model decides' }),
    agentTool(worker, { name: 'patient', backgroundAfterMs: 1 }),
    build,
    quick,
    hold,
  ],
});

let stack: Stack;
let temporal: Client;
beforeAll(async () => {
  stack = await startStack({ agents: [chief], sessionLingerMs: 500 });
  temporal = new Client({ connection: stack.connection });
  // What a message brings about is answered without a script.
  stack.model.answers(() => says('I see'));
});
afterAll(() => stack.stop());
afterEach(() => {
  gate.open();
  finish.open();
  [gate, entered, finish] = [new Latch(), new Latch(), new Latch()];
});

/** What an agent says in one conversation, which a word in its input marks. */
const script = (name: string, word: string) =>
  stack.model.when(
    ({ system, messages }) => system.includes(`I am the ${name}.`) && JSON.stringify(messages).includes(word),
  );

type Of<K extends EventKind> = Extract<AgentEvent, { kind: K }>;
/** Reads the session's log until an event of its own passes the test. */
async function until<K extends EventKind>(
  session: Session,
  kind: K,
  matches: (event: Of<K>) => boolean = () => true,
): Promise<Of<K>> {
  for await (const event of session.events())
    if (event.kind === kind && !event.path && matches(event as Of<K>)) return event as Of<K>;
  throw new Error('the stream ended');
}
const running = (session: Session) => until(session, 'background_task', ({ state }) => state === 'running');
const ended = (session: Session) => until(session, 'background_task', ({ state }) => state !== 'running');
/** What the session was told, once its turn after that has ended. */
async function told(session: Session, turn = 2): Promise<string> {
  await session
    .turn(turn)
    .result({ until: 'end' })
    .catch(() => undefined);
  const hint = await until(session, 'hint', ({ message }) => JSON.stringify(message).includes('"task"'));
  return JSON.stringify(hint.message.content);
}

describe('a background subagent', () => {
  it('gives its id at once, and its answer wakes the idle session', async () => {
    script('chief', 'well')
      .calls('worker', { prompt: 'the well' })
      .says('It works on it.')
      .says('It is dug.');
    script('worker', 'well').calls('hold', {}).says('dug');
    const session = stack.session(chief, 'idle');
    const turn = await session.submit('Dig a well');
    expect(await turn.result()).toMatchObject({ text: 'It works on it.' });
    const { callId, taskSessionId } = await running(session);
    expect(taskSessionId).toBe('idle.worker-1-1-1');
    gate.open();
    expect(await ended(session)).toMatchObject({ callId, state: 'completed' });
    expect(await told(session)).toContain('dug');
    await until(session, 'turn_end', ({ turnId }) => turnId.endsWith('/2'));
    expect(await session.turn(2).result()).toMatchObject({ text: 'It is dug.' });
    const events: AgentEvent[] = [];
    for await (const event of session.events()) {
      events.push(event);
      if (
        event.kind === 'turn_end' &&
        event.turnId === turnIdOf({ owner: session.owner, sessionId: 'idle' }, 2)
      )
        break;
    }
    expect(events.some(({ kind, path }) => path?.[0] === 'worker-1-1-1' && kind === 'text_delta')).toBe(true);
  });

  it('reaches a busy session in the turn that runs', async () => {
    script('chief', 'pit').calls('worker', { prompt: 'the pit' }).calls('hold', {}).says('Both are done.');
    script('worker', 'pit').says('dug');
    const session = stack.session(chief, 'busy');
    const turn = await session.submit('Dig a pit');
    await ended(session);
    await until(session, 'tool_result_start', ({ name }) => name === 'hold');
    // The message is in the inbox: what follows the tool takes it in.
    await untilTold(session);
    gate.open();
    expect(await turn.result({ until: 'end' })).toMatchObject({ text: 'Both are done.' });
    expect(await told(session, 1)).toContain('dug');
    expect((await session.turns()).items).toHaveLength(1);
  });

  it('that fails, is stopped by the model, or has its workflow ended from outside is told all the same', async () => {
    const outcomes = [
      ['failed', 'worker failed'],
      ['cancelled', 'Interrupted'],
      ['failed', 'workflow ended'],
      ['lost', 'ended from outside'],
    ] as const;
    for (const [i, [state, words]] of outcomes.entries()) {
      const name = `end-${i}`;
      script('chief', name).calls('worker', { prompt: name }).says('begun');
      if (i === 0) script('worker', name).fails(400);
      else script('worker', name).calls('hold', {});
      const session = stack.session(chief, name);
      await (await session.submit(`Begin ${name}`)).result();
      const { callId, taskSessionId } = await running(session);
      const ref = { owner: session.owner, sessionId: session.id };
      const task = temporal.workflow.getHandle(taskWorkflowId(ref, callId));
      if (i > 0) await entered.promise;
      if (i === 1) await task.signal('interrupt', { reason: 'not needed' });
      if (i === 2)
        await temporal.workflow.getHandle(turnIdOf({ ...ref, sessionId: taskSessionId! }, 1)).terminate();
      // Nobody writes to the session: it looks after its task itself.
      if (i === 3) await task.terminate();
      expect(await ended(session)).toMatchObject({ callId, state });
      const hint = await until(session, 'hint', ({ message }) => JSON.stringify(message).includes(callId));
      expect(JSON.stringify(hint.message)).toContain(words);
      await until(session, 'turn_end', ({ turnId }) => turnId.endsWith('/2'));
      const below = stack.client.session({ owner: ref.owner, id: taskSessionId! });
      expect((await below.get())?.state).toBe('idle');
      [gate, entered] = [new Latch(), new Latch()];
    }
  });

  it('is chosen by the model where its tool says so', async () => {
    script('chief', 'choose')
      .calls('choice', { prompt: 'choose a' })
      .calls('choice', { prompt: 'choose b', background: true })
      .says('ok')
      .says('fine');
    script('worker', 'choose').says('waited for').says('told later');
    const session = stack.session(chief, 'choice');
    await (await session.submit('Do choose')).result();
    await until(session, 'turn_end', ({ turnId }) => turnId.endsWith('/2'));
    const results = (await session.messages()).items
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => JSON.stringify(content));
    expect(results[0]).toContain('waited for');
    expect(results[1]).toContain('goes on in the background as task');
  });

  it('is refused when too many work already', async () => {
    const calls = ['crowd 1', 'crowd 2', 'crowd 3'].map((prompt) => ['worker', { prompt }] as const);
    script('chief', 'crowd').calls([calls[0]!, calls[1]!]).calls([calls[2]!]).says('ok');
    script('worker', 'crowd').calls('hold', {}).calls('hold', {});
    const session = stack.session(chief, 'breadth');
    await (await session.submit('Gather a crowd')).result();
    const results = (await session.messages()).items
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => JSON.stringify(content));
    expect(results[2]).toContain('2 subagents work in the background already');
    gate.open();
    await until(session, 'turn_end', ({ turnId }) => turnId.endsWith('/2'));
  });
});

describe('a call that takes long', () => {
  it('goes on in the background under its own id, tells how far it is, and its result comes later', async () => {
    script('chief', 'house').calls('build', {}).says('It builds.').says('It is built.');
    const session = stack.session(chief, 'long');
    const turn = await session.submit('Build a house');
    const { callId, name } = await running(session);
    expect(name).toBe('build');
    expect(await turn.result()).toMatchObject({ text: 'It builds.' });
    gate.open();
    const progress = await until(session, 'tool_result_delta', (event) => event.progress?.fraction === 0.9);
    expect(progress.callId).toBe(callId);
    finish.open();
    expect(await ended(session)).toMatchObject({ callId, state: 'completed' });
    expect(await told(session)).toContain('built');
    await until(session, 'turn_end', ({ turnId }) => turnId.endsWith('/2'));
    // What was streamed is gone with its end.
    const left: AgentEvent[] = [];
    for await (const event of session.events()) {
      left.push(event);
      if (event.kind === 'turn_end' && event.turnId.endsWith('/2')) break;
    }
    expect(left.filter(({ kind }) => kind === 'tool_result_delta')).toEqual([]);
  });

  it('has its result in its own turn when it is done in time', async () => {
    script('chief', 'quickly').calls('quick', {}).says('ok');
    const session = stack.session(chief, 'quick');
    await (await session.submit('Do it quickly')).result();
    const events = (await session.messages()).items.map(({ content }) => JSON.stringify(content));
    expect(events.join()).toContain('done at once');
  });

  it('of a subagent is the same', async () => {
    script('chief', 'canal').calls('patient', { prompt: 'the canal' }).says('later').says('now');
    script('worker', 'canal').calls('hold', {}).says('dug');
    const session = stack.session(chief, 'patient');
    await (await session.submit('Dig a canal')).result();
    await running(session);
    gate.open();
    expect(await told(session)).toContain('dug');
    await until(session, 'turn_end', ({ turnId }) => turnId.endsWith('/2'));
  });

  it('within a subagent is waited for: nobody would be there for what comes later', async () => {
    script('chief', 'shed').calls('choice', { prompt: 'the shed' }).says('ok');
    script('worker', 'shed').calls('build', {}).says('it is built');
    const session = stack.session(chief, 'within');
    const turn = await session.submit('Have a shed built');
    await entered.promise;
    gate.open();
    finish.open();
    await turn.result();
    const results = (await session.messages()).items
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => JSON.stringify(content));
    expect(results[0]).toContain('it is built');
  });

  it('is looked after with tools', async () => {
    script('chief', 'tower').calls('build', { fails: true }).says('begun');
    const session = stack.session(chief, 'tools');
    await (await session.submit('Build a tower')).result();
    const { callId } = await running(session);
    script('chief', 'tower')
      .calls([
        ['task_list', {}],
        ['task_status', { taskId: callId }],
        ['task_result', { taskId: callId }],
        ['task_status', { taskId: 'call_unknown' }],
      ])
      .says('seen');
    await (await session.submit('How is it?')).result();
    const results = (await session.messages()).items
      .filter(({ turn, role }) => turn === 2 && role === 'tool')
      .map(({ content }) => JSON.stringify(content));
    expect(results[0]).toContain(`${callId} build: running`);
    expect(results[2]).toContain('no result yet');
    expect(results[3]).toContain(`the tasks are: ${callId}`);
    script('chief', 'tower').calls('task_cancel', { taskId: callId }).says('cancelled');
    await (await session.submit('Stop it')).result({ until: 'end' });
    expect(await ended(session)).toMatchObject({ callId, state: 'cancelled' });
    const hint = await until(session, 'hint', ({ message }) => JSON.stringify(message).includes(callId));
    await until(session, 'turn_end', ({ turnId }) => turnId.localeCompare(hint.turnId) >= 0);
  });
});

/** The task's message is in the inbox, or was taken in. */
async function untilTold(session: Session): Promise<void> {
  const { callId } = await ended(session);
  await temporal.workflow
    .getHandle(taskWorkflowId({ owner: session.owner, sessionId: session.id }, callId))
    .result();
}
