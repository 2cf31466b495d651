import type { Client } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openChild } from '../../src/activities/child-turns.ts';
import { ContextCache } from '../../src/activities/context-cache.ts';
import type { ActivityDeps } from '../../src/activities/deps.ts';
import { equip, type EquippedAgent } from '../../src/activities/equip.ts';
import { equipForCalls, whyToolIsGone } from '../../src/activities/equip-for-calls.ts';
import { putNotices } from '../../src/activities/put-notices.ts';
import { createAgentRegistry } from '../../src/agents/agent-registry.ts';
import { defineAgent } from '../../src/agents/define-agent.ts';
import type { SessionRef } from '../../src/contracts/ids.ts';
import { deliver } from '../../src/inbox/deliver.ts';
import { createModelRegistry } from '../../src/model/registry.ts';
import { openStore, type OpenStore } from '../../src/store/open-store.ts';
import type { CallRecord } from '../../src/store/call-store.ts';
import type { LoadedTools, ToolSource } from '../../src/tools/tool-source.ts';
import { openedTurn } from '../store/sample-session.ts';
import { aTool } from '../tools/a-tool.ts';
import { testScope } from '../support/worker-scope.ts';

let content: OpenStore;
let deps: ActivityDeps;
let ref: SessionRef;
beforeEach(async () => {
  content = await openStore('sqlite::memory:');
  deps = {
    store: content.store,
    agents: createAgentRegistry([]),
    models: createModelRegistry(),
    contexts: new ContextCache(),
    worker: testScope(),
    lingerMs: 1000,
    hasSearchAttributes: false,
  };
  ref = await openedTurn(content.store);
});
afterEach(() => content.close());

function source(name: string, load: ToolSource['load'] | LoadedTools): ToolSource {
  return { name, load: typeof load === 'function' ? load : async () => load };
}

function agentWith(...sources: ToolSource[]) {
  return defineAgent({
    name: 'support',
    model: 'openai/gpt-test',
    instructions: 'Be brief.',
    tools: [aTool({ name: 'own' })],
    sources,
    permissions: { workingDirectories: ['/srv/a'] },
  });
}

function shown({ tools, hiddenTools }: EquippedAgent): string[] {
  return tools.map(({ name }) => name).filter((name) => !hiddenTools.has(name));
}

describe('an equipped agent', () => {
  it('has its own tools and those of its sources and of the worker, in order', async () => {
    deps.sources = [source('worker', { tools: [aTool({ name: 'third' })] })];
    const agent = agentWith(source('box', { tools: [aTool({ name: 'second' })] }));
    const equipped = await equip(deps, agent, ref);
    expect(shown(equipped)).toEqual(['own', 'second', 'third']);
    expect([...equipped.toolByName.keys()]).toEqual(['own', 'second', 'third', 'read_result']);
    expect(equipped.notices).toEqual([]);
  });

  it('has no tools whose outcome is a message where no message arrives', async () => {
    const helper = defineAgent({
      name: 'helper',
      model: 'openai/gpt-test',
      instructions: 'You help.',
      description: 'Helps',
    });
    const agent = defineAgent({
      name: 'support',
      model: 'openai/gpt-test',
      instructions: 'Be brief.',
      reminders: true,
      team: { templates: [helper] },
    });
    const { store } = deps;
    const names = async (of: SessionRef) => shown(await equip(deps, agent, of));
    expect(await names(ref)).toEqual(expect.arrayContaining(['team_create', 'remind_me_at']));

    const sub = { ...ref, sessionId: 'sub' };
    const lineage = { parent: ref.sessionId, kind: 'subagent' as const, name: 'sub', relay: 'all' as const };
    await store.sessions.open(sub, 'support', lineage);
    expect(await names(sub)).toEqual([]);
    const letter = { id: 'm1', kind: 'team' as const, from: { name: 'ann' }, text: 'Done.' };
    const courier = { store, temporal: {} as Client, taskQueue: 'none' };
    await expect(deliver(courier, { owner: sub.owner, to: sub, message: letter })).rejects.toMatchObject({
      code: 'closed',
    });

    deps.agents = createAgentRegistry([agent]);
    const step = { ...ref, sessionId: 'step' };
    const content = [{ type: 'text' as const, text: 'Go' }];
    const child = { ref: step, agent: 'support', inputId: 'i1', content };
    await new MockActivityEnvironment().run(() => openChild(deps, child));
    expect(await names(step)).toEqual([]);
  });

  it('takes what sources add to its instructions and working directories', async () => {
    const agent = agentWith(source('box', { tools: [], instructions: 'More.', workingDirectories: ['/b'] }));
    const equipped = await equip(deps, agent, ref);
    expect(equipped.additions).toEqual(['More.']);
    expect(equipped.permissions.workingDirectories).toEqual(['/srv/a', '/b']);
  });

  it('keeps a tool whose name a source claims too, and says so', async () => {
    const own = aTool({ name: 'own', description: 'Mine' });
    const agent = agentWith(source('box', { tools: [own] }));
    const equipped = await equip(deps, agent, ref);
    expect(equipped.toolByName.get('own')).toBe(agent.toolByName.get('own'));
    expect(equipped.notices).toEqual([
      { source: 'box', text: 'The tool own of box is left out: another tool has its name.' },
    ]);
  });

  it('goes without the tools of a source that fails, and says why', async () => {
    const failing = source('mail', async () => {
      throw new Error('connection refused');
    });
    const equipped = await equip(
      deps,
      agentWith(failing, source('box', { tools: [aTool({ name: 'b' })] })),
      ref,
    );
    expect(shown(equipped)).toEqual(['own', 'b']);
    expect(equipped.notices[0]?.text).toContain('connection refused');
  });

  it.each([
    [undefined, 'its load() gave no { tools: […] }'],
    [{ tools: { a: 1 } }, 'its load() gave no { tools: […] }'],
    [{ tools: [aTool({ name: 'a' }), undefined] }, 'tools[1] of its load() is no tool'],
  ])('goes without the tools of a source that answers %j', async (answer, why) => {
    const wrong = source('wrong', async () => answer as unknown as LoadedTools);
    const equipped = await equip(deps, agentWith(wrong), ref);
    expect(shown(equipped)).toEqual(['own']);
    expect(equipped.notices[0]?.text).toContain(`The tools of wrong are not available now: ${why}`);
    expect(equipped.silentSources).toEqual(['wrong']);
  });

  it('lets a source keep state of the session', async () => {
    const counting = source('count', async ({ slots }) => {
      const n = await slots.update<number>('count', (now = 0) => now + 1);
      return { tools: [], notice: `${n}` };
    });
    await equip(deps, agentWith(counting), ref);
    expect((await equip(deps, agentWith(counting), ref)).notices).toEqual([{ source: 'count', text: '2' }]);
    const other = await openedTurn(content.store);
    expect((await equip(deps, agentWith(counting), other)).notices[0]?.text).toBe('1');
  });

  it('refuses sources that are none, or that share a name', () => {
    expect(() => agentWith({ name: 'x' } as ToolSource)).toThrow('a name and load()');
    expect(() => agentWith(source('a b', { tools: [] }))).toThrow('letters, digits');
    expect(() => agentWith(source('a', { tools: [] }), source('a', { tools: [] }))).toThrow('both named a');
  });
});

describe('notices', () => {
  const call = (step: number) => ({
    ref,
    turn: 1,
    agent: 'support',
    step,
    tools: 'auto' as const,
    steers: [],
  });
  const hints = async () =>
    (await content.store.messages.list(ref, {})).items.flatMap(({ content: blocks }) =>
      blocks.flatMap((block) => (block.type === 'hint' ? block.text : [])),
    );
  const put = async (step: number, text: string, contextFrom = 1) => {
    const session = await content.store.sessions.open(ref, 'support');
    return putNotices(
      deps,
      call(step),
      { ...session, contextFrom },
      {
        notices: [{ source: 'tasks', text }],
        maxResultTokens: 50_000,
      },
    );
  };

  it('enter the transcript when their text is new, once, whatever is repeated', async () => {
    expect(await put(1, 'two open')).toBe(true);
    expect(await put(1, 'two open')).toBe(false);
    expect(await put(2, 'two open')).toBe(false);
    expect(await put(3, 'one open')).toBe(true);
    expect(await hints()).toEqual(['two open', 'one open']);
  });

  it('come again when the last one left the context', async () => {
    await put(1, 'two open');
    const { head } = await content.store.sessions.open(ref, 'support');
    expect(await put(2, 'two open', head + 1)).toBe(true);
    expect(await hints()).toEqual(['two open', 'two open']);
  });

  it('survive a worker that ended between the message and its record', async () => {
    await put(1, 'two open');
    await content.store.slots.update(ref, 'notices', () => ({ value: undefined }));
    await put(1, 'two open');
    expect(await hints()).toEqual(['two open']);
  });

  it('waits for a source that is silent while a call needs its tool, and says so where that takes too long', async () => {
    let asked = 0;
    const slow = source('slow', async () => {
      asked += 1;
      if (asked === 1) throw new Error('it is still starting');
      return { tools: [aTool({ name: 'late' })] };
    });
    const session = await content.store.sessions.open(ref, 'support');
    const calls = [{ name: 'late', state: 'allowed' } as CallRecord];
    const { signal } = new AbortController();
    const equipped = await equipForCalls(deps, agentWith(slow), session, { calls, signal });
    expect([...equipped.toolByName.keys()]).toContain('late');

    const gone = await equipForCalls(deps, agentWith(slow), session, {
      calls: [{ ...calls[0]!, name: 'gone' }],
      signal,
    });
    expect(asked).toBe(3);
    expect(whyToolIsGone(gone, 'gone')).toMatch(/not part of the agent any more/);
    expect(whyToolIsGone({ ...gone, silentSources: ['slow'] }, 'gone')).toMatch(/slow can't be asked for it/);
  });
});
