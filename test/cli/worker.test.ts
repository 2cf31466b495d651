import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from './cli-process.ts';
import { startCliStack, type CliStack } from './cli-stack.ts';

const parsed = (line: string): unknown => JSON.parse(line);

let stack: CliStack;
beforeAll(async () => {
  stack = await startCliStack();
});
afterAll(() => stack.stop());
afterEach(() => stack.model.assertDone());

describe('durascope worker', () => {
  it('logs JSON lines, and stops at SIGTERM with 0', async () => {
    const other = stack.live(['worker', '--task-queue', `cli-other-${process.pid}`, '--metrics-port', '0']);
    const metrics = await fetch(await other.waitFor(/"url":"(http:[^"]+)"/));
    expect(metrics.status).toBe(200);
    await other.waitFor('worker runs');
    other.kill('SIGTERM');
    const { code, stdout } = await other.finished;
    expect(code).toBe(0);
    const messages = stdout
      .trim()
      .split('\n')
      .map((line) => (parsed(line) as { message: string }).message);
    expect(messages.slice(0, 2)).toEqual(['metrics are served', 'worker runs']);
    expect(messages.at(-1)).toBe('worker has stopped');
  });

  it('says what it lacks: a config, a server', async () => {
    const nowhere = await runCli(['worker'], { cwd: '/tmp', env: stack.env });
    expect(nowhere).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no durascope.config.ts') as string,
    });
    const alone = await runCli(['worker'], { cwd: stack.project.folder });
    expect(alone).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('set TEMPORAL_ADDRESS') as string,
    });
  });
});
