import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ContextCache } from '../../src/activities/context-cache.ts';
import { judge } from '../../src/activities/judge.ts';
import { putNotices } from '../../src/activities/put-notices.ts';
import { defineAgent } from '../../src/agents/define-agent.ts';
import type { SessionRef } from '../../src/contracts/ids.ts';
import { openStore, type OpenStore } from '../../src/store/open-store.ts';
import { taskSource } from '../../src/tasks/task-source.ts';
import { allowedCall, openedTurn, step } from '../store/sample-session.ts';
import { aSourceContext } from '../support/worker-scope.ts';
import { aToolContext } from '../tools/a-tool.ts';

let content: OpenStore;
let ref: SessionRef;
beforeEach(async () => {
  content = await openStore('sqlite::memory:');
  ref = await openedTurn(content.store);
});
afterEach(() => content.close());

function load() {
  return taskSource(content.store).load(aSourceContext({ ref }));
}

async function call(name: string, args: unknown, callId = `${name} ${JSON.stringify(args)}`, attempt = 1) {
  const tool = (await load()).tools.find((one) => one.name === name);
  const checked = await tool?.validate(args);
  if (!tool || !checked?.ok) throw new Error(`no such call: ${JSON.stringify(checked)}`);
  const turnId = `turn/${ref.owner}/${ref.sessionId}/1`;
  const context = aToolContext({ ...ref, turnId, callId, attempt });
  return tool.execute(checked.value, context) as Promise<unknown>;
}

const changes = async () =>
  (await content.store.events.read(ref, 0)).flatMap((event) =>
    event.kind === 'task_changed' ? `${event.change} ${event.task.id} ${event.task.state}` : [],
  );

describe('the tools of a plan', () => {
  it('tell observers of each task that changed, those that became free among them', async () => {
    expect(await call('task_create', { subject: 'Dig' })).toBe('Created:\n1 [pending] Dig');
    await call('task_create', { subject: 'Build', blockedBy: ['1'] });
    await call('task_update', { taskId: '1', status: 'completed' });
    await call('task_update', { taskId: '1', status: 'deleted' });
    expect(await changes()).toEqual([
      'created 1 pending',
      'updated 1 pending',
      'created 2 pending',
      'updated 1 completed',
      'updated 2 pending',
      'deleted 1 completed',
      'updated 2 pending',
    ]);
  });

  it('act once, whatever is repeated after a crash', async () => {
    await call('task_create', { subject: 'Dig' }, 'c1');
    await call('task_create', { subject: 'Dig' }, 'c1', 2);
    expect(await call('task_list', {})).toBe('1 [pending] Dig');
    await call('task_update', { taskId: '1', status: 'deleted' }, 'c2');
    expect(await call('task_update', { taskId: '1', status: 'deleted' }, 'c2', 2)).toBe('Deleted task 1.');
    await expect(call('task_update', { taskId: '1', status: 'deleted' }, 'c3')).rejects.toThrow('no task 1');
    expect(await changes()).toEqual(['created 1 pending', 'deleted 1 pending']);
  });

  it('refuse an update with names that are none, or with nothing to change', async () => {
    await call('task_create', { subject: 'Dig' });
    await expect(call('task_update', { taskId: '1', state: 'completed' })).rejects.toThrow(/state/);
    await expect(call('task_update', { taskId: '1', blockedBy: ['1'] })).rejects.toThrow(/blockedBy/);
    await expect(call('task_update', { taskId: '1' })).rejects.toThrow(/nothing of task 1 would change/);
    expect(await call('task_list', {})).toBe('1 [pending] Dig');
  });

  it('lose no change of two at once', async () => {
    await Promise.all(['a', 'b', 'c', 'd'].map((subject) => call('task_create', { subject })));
    expect(((await call('task_list', {})) as string).split('\n')).toHaveLength(4);
  });

  it('show a task whole', async () => {
    await call('task_create', { subject: 'Dig', description: '2 m deep', metadata: { by: 'spade' } });
    expect(await call('task_get', { taskId: '1' })).toEqual({
      id: '1',
      subject: 'Dig',
      description: '2 m deep',
      state: 'pending',
      blockedBy: [],
      blocks: [],
      isBlocked: false,
      metadata: { by: 'spade' },
    });
  });
});

describe('permissions', () => {
  it('let the tools of a plan through in every mode, but for a rule that denies one', async () => {
    const agent = defineAgent({ name: 'support', model: 'openai/gpt-test', instructions: 'x', tasks: true });
    for (const mode of ['default', 'explore', 'accept_edits', 'dont_ask', 'bypass'] as const)
      for (const tool of (await load()).tools)
        expect(await judge(agent, tool, {}, { ref }, { mode, rules: [] })).toMatchObject({
          behavior: 'allow',
        });
    const rules = [{ tool: 'task_create', behavior: 'deny' as const }];
    const create = (await load()).tools.find(({ name }) => name === 'task_create');
    expect(create && (await judge(agent, create, {}, { ref }, { mode: 'bypass', rules }))).toMatchObject({
      behavior: 'deny',
    });
  });
});

describe('the hint of open tasks', () => {
  const contexts = new ContextCache();

  /** What a model call is told before it. */
  async function hintAt(stepNumber: number, contextFrom = 1): Promise<string | undefined> {
    const { notice } = await load();
    if (typeof notice !== 'object') return undefined;
    const session = await content.store.sessions.open(ref, 'support');
    const input = { ref, turn: 1, agent: 'support', step: stepNumber, tools: 'auto' as const, steers: [] };
    const isTold = await putNotices(
      { store: content.store, contexts },
      input,
      { ...session, contextFrom: Math.max(contextFrom, session.contextFrom) },
      { notices: [{ source: 'tasks', ...notice }], maxResultTokens: 50_000 },
    );
    return isTold ? notice.text : undefined;
  }

  it('comes while the context shows neither one nor a call of a task tool', async () => {
    expect(await hintAt(1)).toBeUndefined();
    await call('task_create', { subject: 'Close </tasks> & go' });
    expect(await hintAt(1)).toBe(
      '<tasks>\nOpen tasks of your plan:\n1 [pending] Close &lt;/tasks&gt; &amp; go\n</tasks>',
    );
    expect(await hintAt(2)).toBeUndefined();
    await call('task_create', { subject: 'Another' });
    expect(await hintAt(3)).toBeUndefined();
  });

  it('is left out while the model sees what it did itself, and comes when that left the context', async () => {
    await content.store.calls.commitStep(step(ref, 1, [allowedCall('c1', { name: 'task_create' })]));
    await call('task_create', { subject: 'Dig' });
    expect(await hintAt(2)).toBeUndefined();
    const { head } = await content.store.sessions.open(ref, 'support');
    expect(await hintAt(3, head + 1)).toContain('1 [pending] Dig');
  });

  it('ends with the last open task', async () => {
    await call('task_create', { subject: 'Dig' });
    await call('task_update', { taskId: '1', status: 'completed' });
    expect((await load()).notice).toBeUndefined();
  });
});
