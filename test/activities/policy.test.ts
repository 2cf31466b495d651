import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { judge } from '../../src/activities/judge.ts';
import { policyOf } from '../../src/activities/policy.ts';
import { createAgentRegistry } from '../../src/agents/agent-registry.ts';
import { defineAgent } from '../../src/agents/define-agent.ts';
import type { JudgedCall } from '../../src/core/permission.ts';
import { openStore, type OpenStore } from '../../src/store/open-store.ts';
import { aTool } from '../tools/a-tool.ts';

let content: OpenStore;
beforeEach(async () => {
  content = await openStore('sqlite::memory:');
});
afterEach(() => content.close());

const base = { model: 'openai/gpt-test', instructions: 'You work.' };
const clerk = defineAgent({
  ...base,
  name: 'clerk',
  description: 'Pays',
  permissions: {
    mode: 'bypass',
    allow: ['pay'],
    ask: ['wire'],
  },
});
const lead = defineAgent({ ...base, name: 'lead', description: 'Leads', team: { templates: [clerk] } });
const agents = createAgentRegistry([lead, clerk]);

const refOf = (sessionId: string) => ({ owner: 'acme', sessionId });

/** A tree of workers, one below the other, under a leader. */
async function workers(...names: string[]): Promise<void> {
  await content.store.sessions.open(refOf('boss'), 'lead');
  let parent = 'boss';
  for (const name of names) {
    const lineage = { parent, kind: 'worker' as const, name, relay: 'gates' as const };
    await content.store.sessions.open(refOf(name), 'clerk', lineage);
    parent = name;
  }
}

async function judged(sessionId: string, tool: string, readOnly = false): Promise<JudgedCall> {
  const session = await content.store.sessions.get(refOf(sessionId));
  if (!session) throw new Error(`no session ${sessionId}`);
  const policy = await policyOf({ store: content.store, agents }, clerk, session);
  return judge(clerk, aTool({ name: tool, isReadOnly: () => readOnly }), {}, session, policy);
}

describe('a worker whose leader is gone', () => {
  const isClosed = { behavior: 'deny', reason: expect.stringContaining("its leader's session is gone") };

  it('may only read, whatever its own rules and its mode let pass or ask', async () => {
    await workers('ann');
    expect(await judged('ann', 'pay')).toMatchObject({ behavior: 'allow' });
    await content.store.sessions.erase(refOf('boss'));
    expect(await judged('ann', 'pay')).toMatchObject(isClosed);
    expect(await judged('ann', 'wire')).toMatchObject(isClosed);
    expect(await judged('ann', 'other')).toMatchObject(isClosed);
    expect(await judged('ann', 'look', true)).toMatchObject({ behavior: 'allow' });
  });

  it('stays so with those below it, and under a newer session of that id', async () => {
    await workers('ann', 'bob');
    await content.store.sessions.erase(refOf('boss'));
    expect(await judged('bob', 'pay')).toMatchObject(isClosed);
    const { createdAt = '' } = (await content.store.sessions.get(refOf('ann'))) ?? {};
    await expect
      .poll(async () => {
        await content.store.sessions.erase(refOf('boss'));
        return (await content.store.sessions.open(refOf('boss'), 'lead')).createdAt > createdAt;
      })
      .toBe(true);
    expect(await judged('ann', 'pay')).toMatchObject(isClosed);
    expect(await judged('bob', 'pay')).toMatchObject(isClosed);
  });
});
