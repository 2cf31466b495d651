import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startCliStack, type CliStack } from './cli-stack.ts';

let stack: CliStack;
beforeAll(async () => {
  stack = await startCliStack();
});
afterAll(() => stack.stop());
afterEach(() => stack.model.assertDone());

describe('steer and interrupt', () => {
  it('reach the running turn', async () => {
    stack.model.hangs({ before: 'firstToken' }).says('In euros.');
    const run = stack.live(['run', 'support', 'Think long', '--session', 'steered']);
    await stack.model.waitForRequest(stack.model.requests.length + 1);
    expect((await stack.cli('steer', 'steered', 'use euros', '--actor', 'ann')).stdout).toBe(
      'steered turn 1 of steered\n',
    );
    expect((await stack.cli('interrupt', 'steered', '--reason', 'enough')).stdout).toBe(
      'interrupted turn 1 of steered\n',
    );
    const { code, stdout } = await run.finished;
    expect(code).toBe(1);
    expect(stdout).toContain('interrupted: enough');
    // What came too late for its turn becomes one.
    const following = stack.live(['show', 'steered', '--follow']);
    await following.waitFor('In euros.');
    await following.waitFor('model_stop');
    following.kill('SIGINT');
    await following.finished;
    expect((await stack.cli('interrupt', 'steered')).stdout).toBe('no turn runs in steered\n');
  });
});
