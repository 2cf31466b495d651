import { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { sessionWorkflowId } from '../../src/contracts/ids.ts';
import { findTestServer } from '../support/find-test-server.ts';
import { pay } from '../support/pay-tool.ts';
import { startStack, type Stack } from '../support/stack.ts';

let time: TestWorkflowEnvironment;
let stack: Stack;

const agent = defineAgent({
  name: 'patient',
  model: 'openai/gpt-test',
  instructions: 'Be brief.',
  tools: [pay],
});

beforeEach(async () => {
  const path = findTestServer();
  time = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
});
afterEach(async () => {
  await stack.stop();
  await time.teardown();
});

describe('in skipped time', () => {
  it('a turn waits a month at its gate and goes on from the same call; its session then returns when it has been idle for long', async () => {
    const address = time.connection.options.address;
    stack = await startStack({ agents: [agent], address, sessionLingerMs: 3_600_000 });
    stack.model.calls('pay', {}).says('Paid.');
    const session = stack.session(agent);
    const turn = await session.submit('Pay');
    const callId = (await turn.result()).pending[0]?.callId ?? '';
    await time.sleep('30 days');
    await session.confirm([{ callId, decision: 'allow' }]);
    expect((await turn.result({ until: 'end' })).text).toBe('Paid.');
    expect(stack.model.requests).toHaveLength(2);

    const before = await time.currentTimeMs();
    const workflowId = sessionWorkflowId({ owner: session.owner, sessionId: session.id });
    // The environment's own client lets time skip while it waits.
    await time.client.workflow.getHandle(workflowId).result();
    expect((await time.currentTimeMs()) - before).toBeGreaterThanOrEqual(3_500_000);
  });
});
