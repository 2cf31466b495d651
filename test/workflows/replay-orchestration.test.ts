import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Client, type WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { defineAgent } from '../../src/agents/define-agent.ts';
import type { Flow } from '../../src/client/index.ts';
import { pipelineWorkflowId } from '../../src/contracts/flow.ts';
import { fails, says } from '../../src/testing/index.ts';
import { workflowBundle } from '../../src/worker/workflow-bundle.ts';
import { startStack, type Stack } from '../support/stack.ts';

const folder = fileURLToPath(new URL('../histories/', import.meta.url));
const agent = defineAgent({ name: 'recorded', model: 'openai/gpt-test', instructions: 'Be brief.' });
const turn = (prompt?: string): Flow => ({ kind: 'turn', agent: agent.name, ...(prompt ? { prompt } : {}) });

let stack: Stack;
let temporal: Client;
beforeAll(async () => {
  stack = await startStack({ agents: [agent], sessionLingerMs: 1 });
  temporal = new Client({ connection: stack.connection });
});
afterAll(() => stack.stop());

function start(workflowType: string, args: unknown[]): Promise<WorkflowHandle> {
  const workflowId = `${workflowType}-${randomUUID()}`;
  return temporal.workflow.start(workflowType, { workflowId, taskQueue: stack.taskQueue, args });
}

/** Workflows around turns, each played for real. */
const stories: Record<string, () => Promise<WorkflowHandle>> = {
  async pipeline() {
    stack.model.answers(({ messages }) => {
      const text = messages.at(-1)?.text ?? '';
      if (text.startsWith('List')) return says('["a", "b", "bad"]');
      return text === 'bad' ? fails(401) : says(text.length > 400 ? 'enough' : `${text} and`);
    });
    const flow: Flow = {
      kind: 'pipeline',
      steps: [
        turn('List'),
        { kind: 'fan_out', items: 'json', concurrency: 2, body: turn() },
        {
          kind: 'parallel',
          branches: [
            { name: 'one', flow: { kind: 'loop', body: turn(), limit: 3, until: { contains: 'enough' } } },
            { name: 'two', flow: { kind: 'branch', when: { contains: 'x' }, do: turn() } },
          ],
        },
        {
          kind: 'hub',
          rounds: 1,
          members: [
            { name: 'ann', agent: agent.name },
            { name: 'bob', agent: agent.name },
          ],
        },
      ],
    };
    const id = randomUUID();
    const pipeline = await stack.client.pipelines.start({ owner: 'acme', id, flow, input: 'x' });
    await pipeline.result();
    return temporal.workflow.getHandle(pipelineWorkflowId(pipeline));
  },
  async 'scheduled-turn-with-actor'() {
    stack.model.says('Reported.');
    const input = { owner: 'acme', schedule: 'daily', agent: agent.name, input: 'Report', actor: 'ann' };
    return start('scheduledTurn', [{ ...input, permissionMode: 'dont_ask', session: `r-${randomUUID()}` }]);
  },
  async 'wake-up'() {
    const message = { id: 'reminder/1', kind: 'reminder', from: { name: 'you' }, text: 'Look' };
    const to = { owner: 'acme', sessionId: 'gone' };
    return start('wakeUp', [{ to, at: new Date(Date.now() + 10).toISOString(), message }]);
  },
};

describe('recorded histories of workflows around turns', () => {
  it.each(Object.entries(stories))('%s: replays as it ran', async (name, play) => {
    const handle = await play();
    await handle.result();
    const history = await handle.fetchHistory();
    await Worker.runReplayHistory({ workflowBundle: await workflowBundle() }, history, handle.workflowId);
    const file = `${folder}${name}.json`;
    if (process.env['RECORD_HISTORIES'] && !existsSync(file))
      await writeFile(
        file,
        JSON.stringify({
          workflowId: handle.workflowId,
          history: JSON.parse(historyToJSON(history)) as unknown,
        }),
      );
  });
});
