import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentTool } from '../../src/agents/agent-tool.ts';
import { defineAgent } from '../../src/agents/define-agent.ts';
import type { Session, Turn } from '../../src/client/index.ts';
import { parseTurnId, sessionWorkflowId } from '../../src/contracts/ids.ts';
import { taskWorkflowId } from '../../src/contracts/tasks.ts';
import { calls, says, type Step } from '../../src/testing/index.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { workflowBundle } from '../../src/worker/workflow-bundle.ts';
import { waitForEvent } from '../support/read-events.ts';
import { startStack, type Stack } from '../support/stack.ts';

const folder = fileURLToPath(new URL('../histories/', import.meta.url));

const look = defineTool({
  name: 'look',
  description: 'Looks',
  input: z.object({ at: z.string() }),
  readOnly: true,
  execute: ({ at }) => `seen ${at}`,
});
const pay = defineTool({
  name: 'pay',
  description: 'Pays',
  input: z.object({ amount: z.number() }),
  permission: 'ask',
  execute: ({ amount }) => `paid ${amount}`,
});
const appraise = defineTool({
  name: 'appraise',
  description: 'Appraises',
  input: z.object({}),
  external: true,
  permission: 'allow',
});
const agent = defineAgent({
  name: 'recorded',
  model: 'openai/gpt-test',
  instructions: 'Be brief.',
  tools: [look, pay, appraise],
  maxIterations: 3,
  maxModelAttempts: 1,
});

const lead = defineAgent({
  name: 'recorded-lead',
  model: 'openai/gpt-test',
  instructions: 'You are in charge.',
  team: { templates: [agent] },
});

const helper = defineAgent({ name: 'recorded-helper', model: 'openai/gpt-test', instructions: 'You help.' });
const boss = defineAgent({
  name: 'recorded-boss',
  model: 'openai/gpt-test',
  instructions: 'You are the boss.',
  tools: [agentTool(helper, { name: 'helper', mode: 'model decides' })],
});

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ agents: [agent, lead, boss], sessionLingerMs: 1 });
});
afterAll(() => stack.stop());

function asBoss(...steps: Step[]): void {
  stack.model.when(({ system }) => system.includes('You are the boss.')).queue(...steps);
}

function asHelper(...steps: Step[]): void {
  stack.model.when(({ system }) => system.includes('You help.')).queue(...steps);
}

/** A worker that reports once it is reminded, and its leader. */
async function aTeam(owner: string, id: string): Promise<{ leader: Session; worker: Session }> {
  const leader = stack.client.session({ owner, id, agent: 'recorded-lead' });
  const worker = stack.client.session({ owner, id: `${id}.ann` });
  const by = (system: string) => stack.model.when((request) => request.system.includes(system));
  by('You are in charge').queue(
    calls('team_create', { name: 'press', description: 'Looks' }),
    calls('agent_create', { name: 'ann', template: 'recorded', description: 'Looks', prompt: 'Look.' }),
    says('Ann looks.'),
    says('Thanks.'),
  );
  by('You are ann,').queue(
    says('Seen.'),
    calls('team_say', { content: 'Seen.', to: 'leader' }),
    says('Done.'),
  );
  await (await leader.submit('Have it looked at')).result();
  for (const session of [worker, leader]) {
    await expect.poll(async () => (await session.get())?.lastTurn, { timeout: 20_000 }).toBe(2);
    await session.turn(2).result();
  }
  return { leader, worker };
}

/** The workflow of the task that a story began. */
let task: string | undefined;

/** What a turn can go through, each played for real. */
const stories: Record<string, (session: Session) => Promise<Turn>> = {
  async 'parallel-tools'(session) {
    stack.model.calls([
      ['look', { at: 'a' }],
      ['look', { at: 'b' }],
    ]);
    stack.model.says('Seen.');
    const turn = await session.submit('Look');
    await turn.result();
    return turn;
  },
  async 'confirmed-and-denied'(session) {
    stack.model.calls([
      ['pay', { amount: 1 }],
      ['pay', { amount: 2 }],
    ]);
    stack.model.says('Done.');
    const turn = await session.submit('Pay both');
    const [first, second] = (await turn.result()).pending.map(({ callId }) => callId);
    await session.confirm([{ callId: first ?? '', decision: 'allow' }]);
    await waitForEvent(turn.events(), 'tool_result_end');
    await confirmWhenAsked(session, second ?? '');
    await turn.result({ until: 'end' });
    return turn;
  },
  async 'external-result'(session) {
    stack.model.calls('appraise', {}).says('Appraised.');
    const turn = await session.submit('Appraise');
    const callId = (await turn.result()).pending[0]?.callId ?? '';
    await session.submitExternalResults([{ callId, state: 'success', content: 'worth 5' }]);
    await turn.result({ until: 'end' });
    return turn;
  },
  async interrupted(session) {
    stack.model.hangs({
      before: 'afterChunks',
      chunks: 3,
      step: says('A long story that nobody wants to hear to its end.'),
    });
    const turn = await session.submit('Tell');
    await waitForEvent(turn.events(), 'text_delta');
    await session.interrupt();
    await turn.result();
    return turn;
  },
  async 'iteration-limit'(session) {
    for (let i = 0; i < 3; i += 1) stack.model.calls('look', { at: String(i) });
    stack.model.says('Enough.');
    const turn = await session.submit('Look everywhere');
    await turn.result();
    return turn;
  },
  async steered(session) {
    stack.model.hangs({ before: 'headers' });
    stack.model.says('Second answer.');
    const turn = await session.submit('First');
    await stack.model.waitForRequest(stack.model.requests.length + 1);
    await session.steer('Second');
    await session.interrupt();
    // It came too late for the interrupted turn, and becomes the next one.
    await expect.poll(async () => (await session.get())?.lastTurn, { timeout: 20_000 }).toBe(turn.turn + 1);
    await session.turn(turn.turn + 1).result();
    return turn;
  },
  async 'team-leader'({ owner }) {
    const { leader } = await aTeam(owner, 'led');
    return leader.turn(2);
  },
  async 'team-worker'({ owner }) {
    const { worker } = await aTeam(owner, 'worked');
    return worker.turn(2);
  },
  async subagent({ owner }) {
    const session = stack.client.session({ owner, id: 'asked', agent: 'recorded-boss' });
    asBoss(calls('helper', { prompt: 'Look' }), says('Done.'));
    asHelper(says('Seen.'));
    await (await session.submit('Have it looked at')).result();
    return session.turn(1);
  },
  async 'background-subagent'({ owner }) {
    const session = stack.client.session({ owner, id: 'sent', agent: 'recorded-boss' });
    asBoss(calls('helper', { prompt: 'Look', background: true }), says('It looks.'), says('Seen.'));
    asHelper(says('Seen.'));
    await (await session.submit('Have it looked at')).result();
    await expect.poll(async () => (await session.get())?.lastTurn, { timeout: 20_000 }).toBe(2);
    await session.turn(2).result();
    const [call] = await stack.content.store.calls.ofTurn({ owner, sessionId: session.id }, 1);
    task = taskWorkflowId({ owner, sessionId: session.id }, call?.callId ?? '');
    return session.turn(1);
  },
  async 'model-error'(session) {
    stack.model.fails(401);
    const turn = await session.submit('Hi');
    await turn.result();
    return turn;
  },
};

describe('recorded histories', () => {
  it.each(Object.entries(stories))('%s: replays as it ran, turn and session', async (name, play) => {
    const begun = stack.session(agent, name);
    task = undefined;
    const turn = await play(begun);
    const { workflow } = new Client({ connection: stack.connection });
    const { ref } = parseTurnId(turn.id) ?? { ref: { owner: begun.owner, sessionId: begun.id } };
    const sessionHandle = workflow.getHandle(sessionWorkflowId(ref));
    await sessionHandle.result();
    for (const [kind, handle] of [
      ['turn', workflow.getHandle(turn.id)],
      ['session', sessionHandle],
      ...(task === undefined ? [] : [['task', workflow.getHandle(task)] as const]),
    ] as const) {
      const history = await handle.fetchHistory();
      await replay(history, handle.workflowId);
      const file = `${folder}${name}.${kind}.json`;
      if (process.env['RECORD_HISTORIES'] && !existsSync(file))
        await writeFile(
          file,
          JSON.stringify({
            workflowId: handle.workflowId,
            history: JSON.parse(historyToJSON(history)) as unknown,
          }),
        );
    }
  });

  it('all replay with today’s workflow code', async () => {
    const files = (await readdir(folder)).filter((file) => file.endsWith('.json'));
    expect(files.length).toBeGreaterThanOrEqual(Object.keys(stories).length * 2);
    for (const file of files) {
      const { workflowId, history } = JSON.parse(await readFile(folder + file, 'utf8')) as {
        workflowId: string;
        history: unknown;
      };
      await replay(historyFromJSON(history), workflowId);
    }
  });
});

async function replay(
  history: Parameters<typeof Worker.runReplayHistory>[1],
  workflowId: string,
): Promise<void> {
  await Worker.runReplayHistory({ workflowBundle: await workflowBundle() }, history, workflowId);
}

/** The second call of a serial pair asks once the first has its result. */
async function confirmWhenAsked(session: Session, callId: string): Promise<void> {
  for await (const event of session.events())
    if (event.kind === 'require_user_confirm' && event.calls.some((call) => call.callId === callId)) break;
  await session.confirm([{ callId, decision: 'deny', reason: 'once is enough' }]);
}
