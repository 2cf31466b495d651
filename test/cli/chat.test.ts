import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTemporal } from '../support/temporal.ts';
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

  it('tells how to answer a gate where nobody can be asked, and does not wait for it at the end', async () => {
    stack.model.calls('refund', { orderId: '9' });
    const { code, stderr } = await runCli(['chat', 'support'], {
      cwd: stack.project.folder,
      env: stack.env,
      input: 'Refund 9\n',
    });
    expect(stderr).toContain('durascope confirm call_');
    expect(code).toBe(0);
  });

  it('asks for approval at a terminal, and ends at Ctrl-C', async () => {
    stack.model.calls('refund', { orderId: '9' }).says('Done.');
    const chat = stack.live(['chat', 'support'], true);
    await chat.waitFor('> ');
    chat.type('Refund 9\n');
    await chat.waitFor('approve?');
    chat.type('/status\n');
    await chat.waitFor('waiting · turn 1');
    await chat.waitFor('approve?');
    chat.type('y\n');
    await chat.waitFor('refunded 9');
    await chat.waitFor('model_stop');
    await chat.waitFor('> ');
    chat.type('\u0003');
    expect((await chat.finished).code).toBe(0);
  });

  it('does not send text while a gate is open, but says what it may be meant as; /deny goes on with it', async () => {
    stack.model.calls('refund', { orderId: '9' }).says('Not refunded then.');
    const chat = stack.live(['chat', 'support', '--session', 'gated']);
    chat.type('Refund 9\n');
    await chat.waitFor('durascope confirm call_');
    chat.type('never mind\n');
    await chat.waitFor('not sent, because the turn waits: "never mind"');
    await chat.waitFor('/queue TEXT');
    chat.type('/deny never mind\n');
    await chat.waitFor('refund denied');
    await chat.waitFor('Not refunded then.');
    chat.type('/quit\n');
    await chat.finished;
    expect(stack.model.requests.at(-1)?.messages.at(-1)?.text).toBe('never mind');
  });

  it('asks a question of the agent, and shows nothing of a secret, not even in its history', async () => {
    stack.model.calls('ask_user', { question: 'Password?', secret: true }).says('Thanks.');
    const chat = stack.live(['chat', 'support'], true);
    await chat.waitFor('> ');
    chat.type('Log in\n');
    await chat.waitFor('answer (not shown):');
    chat.type('hunter2\n');
    await chat.waitFor('Thanks.');
    await chat.waitFor('model_stop');
    await chat.waitFor('> ');
    chat.type('\u001b[A\u001b[A');
    chat.type('\u0015/quit\n');
    await chat.finished;
    expect(chat.output()).not.toContain('hunter2');
  });
});

describe('durascope chat, when Temporal goes away', () => {
  it('keeps the line, tries again, and goes on when it is back', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'durascope-chat-'));
    const temporal = await startTemporal({ dataDir });
    const own = await startCliStack(temporal.address);
    own.model.says('First.').says('Second.');
    const chat = own.live(['chat', 'support']);
    chat.type('One\n');
    await chat.waitFor('First.');
    await temporal.kill();
    chat.type('Two\n');
    await chat.waitFor('still trying');
    const back = await startTemporal({ dataDir, port: Number(temporal.address.split(':')[1]) });
    await chat.waitFor('Second.');
    chat.type('/quit\n');
    expect((await chat.finished).code).toBe(0);
    await own.stop();
    await back.kill();
    await rm(dataDir, { recursive: true, force: true });
  });
});
