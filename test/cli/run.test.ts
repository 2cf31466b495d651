import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AgentEvent } from '../../src/schema/event.ts';
import { runCli } from './cli-process.ts';
import { startCliStack, type CliStack } from './cli-stack.ts';

const parsed = (line: string): unknown => JSON.parse(line);

let stack: CliStack;
beforeAll(async () => {
  stack = await startCliStack();
});
afterAll(() => stack.stop());
afterEach(() => stack.model.assertDone());

describe('durascope run', () => {
  it('shows the answer, and ends with 0', async () => {
    stack.model.says('It is on its way.');
    const { code, stdout, stderr } = await stack.cli(
      'run',
      'support',
      'Where is order 1001?',
      '--session',
      'plain',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^It is on its way\.\n— model_stop · .*\n$/);
  });

  it('reads the message from stdin, and names the session that it made', async () => {
    stack.model.says('Hi.');
    const { code, stderr } = await runCli(['run', 'support', '-'], {
      cwd: stack.project.folder,
      env: stack.env,
      input: 'Hello',
    });
    expect(code).toBe(0);
    expect(stderr).toMatch(/session (run-\w+): go on with --session \1/);
    expect(stack.model.requests.at(-1)?.messages.at(-1)?.text).toBe('Hello');
  });

  it("ends with 1 and the provider's message when the model fails", async () => {
    stack.model.fails(400, { body: { error: { message: 'The model says no' } } });
    const { code, stdout, stderr } = await stack.cli('run', 'support', 'Hello');
    expect(code).toBe(1);
    expect(stdout).toContain('The model says no');
    expect(stdout + stderr).not.toMatch(/at .*\.ts:|sk-not/);
  });

  it('prints with --json one AgentEvent a line, and nothing else, not even what a tool prints', async () => {
    stack.model.calls('refund', { orderId: '1' }).says('Done.');
    const { code, stdout } = await stack.cli('run', 'support', 'Refund 1', '--yes', '--json');
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => AgentEvent.parse(parsed(line)));
    expect(code).toBe(0);
    expect(events[0]?.kind).toBe('input');
    expect(events.map(({ kind }) => kind)).toContain('gate_answered');
    expect(events.at(-1)).toMatchObject({ kind: 'turn_end', finishReason: 'model_stop' });
  });

  it.each(['run', 'chat'])(
    '%s refuses an agent that the config does not have, and makes no session',
    async (command) => {
      const input = command === 'run' ? ['Hello'] : [];
      const refused = await stack.cli(command, 'suport', ...input, '--session', 'dead');
      expect(refused).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr).toContain(
        'There is no agent "suport". Did you mean support? The agents are: support.',
      );
      expect((await stack.cli('show', 'dead')).stderr).toContain('has no session dead');
    },
  );

  it('leaves it to the workers where there is no config: an agent of theirs runs, another is not known', async () => {
    const { folder } = stack.project;
    await stack.project.write('elsewhere/empty.txt', '');
    const elsewhere = {
      cwd: join(folder, 'elsewhere'),
      env: { ...stack.env, DURASCOPE_STORE: `sqlite:${join(folder, 'store.db')}` },
    };
    const run = (agent: string) =>
      runCli(['run', agent, 'Hello', '--task-queue', stack.taskQueue], elsewhere);
    stack.model.says('Hi.');
    expect((await run('support')).stdout).toContain('Hi.');
    const unknown = await run('suport');
    expect(unknown.code).toBe(1);
    expect(unknown.stdout).toContain('Did you mean support?');
  });

  it('says how to go on when Temporal is not there', async () => {
    const { code, stderr } = await stack.cli('run', 'support', 'Hello', '--address', '127.0.0.1:1');
    expect(code).toBe(1);
    expect(stderr).toContain('No Temporal answers at 127.0.0.1:1');
    const asJson = await stack.cli('run', 'support', 'Hello', '--address', '127.0.0.1:1', '--json');
    expect(parsed(asJson.stderr)).toMatchObject({ error: { code: 'temporal_unavailable' } });
    expect(asJson.stdout).toBe('');
  });

  it('interrupts the turn at Ctrl-C, and shows how it ended', async () => {
    stack.model.hangs({ before: 'firstToken' });
    const run = stack.live(['run', 'support', 'Think long', '--session', 'interrupted']);
    await stack.model.waitForRequest(stack.model.requests.length + 1);
    run.kill('SIGINT');
    const { code, stdout } = await run.finished;
    expect(code).toBe(1);
    expect(stdout).toContain('interrupted: Ctrl-C\n— interrupted');
  });

  it('leaves at a second Ctrl-C with 130, whatever the turn does', async () => {
    stack.model.hangs({ before: 'firstToken' });
    const run = stack.live(['run', 'support', 'Think long', '--session', 'left']);
    await stack.model.waitForRequest(stack.model.requests.length + 1);
    stack.worker.kill('SIGSTOP');
    try {
      run.kill('SIGINT');
      await run.waitFor('Ctrl-C again leaves it');
      run.kill('SIGINT');
      expect((await run.finished).code).toBe(130);
    } finally {
      stack.worker.kill('SIGCONT');
    }
  });
});
