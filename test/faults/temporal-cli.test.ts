import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sessionWorkflowId } from '../../src/contracts/ids.ts';
import { findTemporalCli } from '../../src/embedded/find-cli.ts';
import { startStack, type Stack } from '../support/stack.ts';
import { waitForEvent } from '../support/read-events.ts';
import { effectsIn, shopAgent } from './shop-agent.ts';

let folder: string;
let effectsFile: string;
let stack: Stack;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durascope-faults-'));
  effectsFile = join(folder, 'effects');
  stack = await startStack({ agents: [shopAgent(effectsFile)] });
});
afterEach(async () => {
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
});

/** What a person types who has nothing but Temporal's own tool. */
async function temporalCli(...args: string[]): Promise<void> {
  const cli = await findTemporalCli();
  await promisify(execFile)(cli, ['workflow', ...args, '--address', stack.address]);
}

describe('the temporal command line', () => {
  it('confirms a call by a signal to its turn', async () => {
    stack.model.calls('pay', { orderId: '7' }).says('Paid.');
    const turn = await stack.session(shopAgent(effectsFile)).submit('Pay');
    const [call] = (await turn.result()).pending;
    const input = JSON.stringify({ results: [{ callId: call?.callId, decision: 'allow' }] });
    await temporalCli('signal', '--workflow-id', turn.id, '--name', 'confirm', '--input', input);
    expect((await turn.result({ until: 'end' })).text).toBe('Paid.');
    expect(effectsIn(effectsFile)).toHaveLength(1);
  });

  it('denies a call by an update of its turn', async () => {
    stack.model.calls('pay', { orderId: '7' }).says('Not paid.');
    const turn = await stack.session(shopAgent(effectsFile)).submit('Pay');
    const [call] = (await turn.result()).pending;
    const input = JSON.stringify({ results: [{ callId: call?.callId, decision: 'deny', reason: 'no' }] });
    await temporalCli('update', 'execute', '--workflow-id', turn.id, '--name', 'confirm', '--input', input);
    expect((await turn.result()).text).toBe('Not paid.');
    expect(effectsIn(effectsFile)).toEqual([]);
  });

  it('submits an input by a signal, to a session that runs or that is not there yet', async () => {
    stack.model.says('Hello.').says('And hello again.');
    const session = stack.session(shopAgent(effectsFile));
    const ref = { owner: session.owner, sessionId: session.id };
    const workflowId = sessionWorkflowId(ref);
    await temporalCli(
      'signal-with-start',
      ...['--workflow-id', workflowId, '--type', 'agentSession', '--task-queue', stack.taskQueue],
      ...['--input', JSON.stringify({ ref, agent: 'shop' })],
      ...['--signal-name', 'submit', '--signal-input', '{"id": "by-hand-1", "input": "Hi"}'],
    );
    await waitForEvent(session.turn(1).events(), 'turn_end');
    await temporalCli(
      'signal',
      '--workflow-id',
      workflowId,
      '--name',
      'submit',
      '--input',
      '{"input": "Hi again"}',
    );
    await waitForEvent(session.turn(2).events(), 'turn_end');
    expect((await session.turn(1).result()).text).toBe('Hello.');
    expect((await session.turn(2).result()).text).toBe('And hello again.');
  });
});
