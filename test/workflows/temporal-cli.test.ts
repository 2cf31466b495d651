import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import type { Session, Turn } from '../../src/client/index.ts';
import { sessionWorkflowId } from '../../src/contracts/ids.ts';
import { findTemporalCli } from '../../src/embedded/find-cli.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { startStack, type Stack } from '../support/stack.ts';

const run = promisify(execFile);
const input = z.object({ amount: z.number().positive() });
let paid: number[] = [];
const pay = defineTool({
  name: 'pay',
  description: 'Pays an amount',
  input,
  permission: 'ask',
  execute: ({ amount }) => void paid.push(amount),
});
const appraise = defineTool({
  name: 'appraise',
  description: 'Has an expert appraise it',
  input,
  external: true,
  permission: 'allow',
});
const agent = defineAgent({
  name: 'payer',
  model: 'openai/gpt-test',
  instructions: 'Be brief.',
  tools: [pay, appraise],
});

let cli: string;
let stack: Stack;
let session: Session;
beforeAll(async () => {
  cli = await findTemporalCli();
});
beforeEach(async () => {
  paid = [];
  stack = await startStack({ agents: [agent] });
  session = stack.session(agent);
});
afterEach(() => stack.stop());

/** What a person types who has nothing but Temporal's own command line. */
function temporal(...words: string[]) {
  return run(cli, ['workflow', ...words, '--address', stack.address, '--output', 'json']);
}

async function waitingCall(turn: Turn): Promise<string> {
  return (await turn.result()).pending[0]?.callId ?? '';
}

describe('the plain temporal command', () => {
  it('signal answers a gate of the turn', async () => {
    stack.model.calls('pay', { amount: 5 }).says('Paid.');
    const turn = await session.submit('Pay 5');
    const answer = {
      results: [{ callId: await waitingCall(turn), decision: 'allow' }],
      actor: { id: 'ann' },
    };
    await temporal('signal', '-w', turn.id, '--name', 'confirm', '--input', JSON.stringify(answer));
    expect((await turn.result({ until: 'end' })).text).toBe('Paid.');
    expect(paid).toEqual([5]);
    expect((await session.audit()).items.at(-1)).toMatchObject({ by: 'person', actor: 'ann' });
  });

  it('signal answers through the session, by an id that everybody knows', async () => {
    stack.model.calls('appraise', { amount: 5 }).says('Appraised.');
    const turn = await session.submit('Appraise');
    const answer = { results: [{ callId: await waitingCall(turn), state: 'success', content: 'worth 5' }] };
    const workflowId = sessionWorkflowId({ owner: session.owner, sessionId: session.id });
    await temporal('signal', '-w', workflowId, '--name', 'externalResult', '--input', JSON.stringify(answer));
    expect((await turn.result({ until: 'end' })).text).toBe('Appraised.');
    expect(stack.model.requests[1]?.results()[0]?.text).toBe('worth 5');
  });

  it('update execute answers a gate, and says what came of it', async () => {
    stack.model.calls('pay', { amount: 5 }).says('Not paid.');
    const turn = await session.submit('Pay 5');
    const callId = await waitingCall(turn);
    const update = (answer: object) =>
      temporal('update', 'execute', '-w', turn.id, '--name', 'confirm', '--input', JSON.stringify(answer));
    const wrong = update({ results: [{ callId: 'call_none', decision: 'allow' }] });
    await expect(wrong).rejects.toMatchObject({
      stderr: expect.stringContaining('call call_none is not a call of the current step') as string,
    });
    const { stdout } = await update({ results: [{ callId, decision: 'deny', reason: 'not this month' }] });
    expect(stdout).toContain(callId);
    expect((await turn.result({ until: 'end' })).text).toBe('Not paid.');
    expect(paid).toEqual([]);
    expect(stack.model.requests[1]?.results()[0]?.text).toBe('pay was denied: not this month');
  });
});
