import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from './cli-process.ts';
import { startCliStack, type CliStack } from './cli-stack.ts';

let stack: CliStack;
beforeAll(async () => {
  stack = await startCliStack();
});
afterAll(() => stack.stop());
afterEach(() => stack.model.assertDone());

describe('durascope chat', () => {
  it('takes lines as turns, tells its status, and steers a turn that runs', async () => {
    stack.model.says('Hello to you.');
    const chat = stack.live(['chat', 'support', '--session', 'talk']);
    chat.type('Hi\n');
    await chat.waitFor('Hello to you.');
    await chat.waitFor('model_stop');
    chat.type('/status\n');
    await chat.waitFor('idle · turn 1');
    chat.type('/what\n');
    await chat.waitFor('/what is no command');

    stack.model.hangs({ before: 'firstToken' });
    const asked = stack.model.requests.length;
    chat.type('Think long\n');
    await stack.model.waitForRequest(asked + 1);
    chat.type('/interrupt\n');
    await chat.waitFor('interrupted: /interrupt');
    await chat.waitFor('— interrupted');
    chat.type('/quit\n');
    expect((await chat.finished).code).toBe(0);
  });

  it('sees the last turn to its end when the input ends', async () => {
    stack.model.says('Bye.');
    const { code, stdout } = await runCli(['chat', 'support'], {
      cwd: stack.project.folder,
      env: stack.env,
      input: 'Good night\n',
    });
    expect(stdout).toContain('Bye.\n— model_stop');
    expect(code).toBe(0);
  });

  it('asks for approval at a terminal, and ends at Ctrl-C', async () => {
    stack.model.calls('refund', { orderId: '9' }).says('Done.');
    const chat = stack.live(['chat', 'support'], true);
    await chat.waitFor('> ');
    chat.type('Refund 9\n');
    await chat.waitFor('approve?');
    chat.type('y\n');
    await chat.waitFor('refunded 9');
    await chat.waitFor('model_stop');
    await chat.waitFor('> ');
    chat.type('\u0003');
    expect((await chat.finished).code).toBe(0);
  });
});
