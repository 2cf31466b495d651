import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startCliStack, type CliStack } from './cli-stack.ts';

let stack: CliStack;
beforeAll(async () => {
  stack = await startCliStack();
});
afterAll(() => stack.stop());
afterEach(() => stack.model.assertDone());

describe('at a terminal, run', () => {
  it('asks about each call: an edit is shown as a diff, and one that does not fit is asked again', async () => {
    stack.model
      .calls([
        ['refund', { orderId: 'a' }],
        ['refund', { orderId: 'b' }],
      ])
      .says('All done.');
    const run = stack.live(['run', 'support', 'Refund both', '--session', 'asked'], true);
    await run.waitFor('approve? y(es, once), r(emember), n(o), e(dit)');
    run.type('e\n');
    await run.waitFor('arguments: {"orderId":"a"}');
    run.type('\u0015{"orderId": 5}\n');
    await run.waitFor(/- orderId: "a"\r\n {2}\+ orderId: 5\r\nrun it with this\?/);
    run.type('y\n');
    await run.waitFor('orderId must be string');
    await run.waitFor('approve?');
    run.type('e\n');
    await run.waitFor('arguments: {"orderId":5}');
    run.type('\u0015{"orderId": "z"}\n');
    await run.waitFor('run it with this?');
    run.type('y\n');
    await run.waitFor('"orderId": "b"');
    await run.waitFor('approve?');
    run.type('n\n');
    await run.waitFor('why not?');
    run.type('once is enough\n');
    const { code, stdout } = await run.finished;
    expect(stdout).toContain('refunded z');
    expect(stdout).toContain('once is enough');
    expect(stdout).toContain('All done.');
    expect(code).toBe(0);
  });

  it('remembers a rule, which settles the other calls that it covers', async () => {
    stack.model
      .calls([
        ['refund', { orderId: 'a' }],
        ['refund', { orderId: 'b' }],
      ])
      .says('Both done.');
    const run = stack.live(['run', 'support', 'Refund both', '--session', 'ruled'], true);
    await run.waitFor('approve?');
    run.type('r\n');
    await run.waitFor(/1 {2}refund\(orderId=a\)\r\n {2}2 {2}refund\r\n/);
    run.type('2\n');
    const { code, stdout } = await run.finished;
    expect(stdout).toContain('refunded a');
    expect(stdout).toContain('refunded b');
    expect(code).toBe(0);
  });

  it('asks a question of the agent by numbers, and a secret without showing it', async () => {
    stack.model
      .calls('ask_user', { question: 'Which size?', options: [{ label: 'S' }, { label: 'L' }] })
      .calls('ask_user', { question: 'Password?', secret: true })
      .says('Thanks.');
    const run = stack.live(['run', 'support', 'Buy a shirt', '--session', 'questions'], true);
    await run.waitFor('answer (1-2):');
    run.type('3\n');
    await run.waitFor('that is none of the answers');
    run.type('2\n');
    await run.waitFor('answer (not shown):');
    run.type('hunter2\n');
    const { code, stdout } = await run.finished;
    expect(stdout).toContain('ask_user: L');
    expect(stdout).toContain('Thanks.');
    expect(stdout).not.toContain('hunter2');
    expect(code).toBe(0);
  });

  it('says that this person may not answer, and waits for somebody who may', async () => {
    stack.model.calls('close', {}).says('Closed.');
    const run = stack.live(['run', 'support', 'Close it', '--session', 'eyes', '--actor', 'rita'], true);
    const callId = await run.waitFor(/close waits for approval.* (call_\S+)/);
    await run.waitFor('approve?');
    run.type('y\n');
    await run.waitFor('who asked for it may not answer it');
    await run.waitFor('the turn waits for others');
    expect((await stack.cli('confirm', callId, '--actor', 'sam')).code).toBe(0);
    await run.waitFor('Closed.');
    expect((await run.finished).code).toBe(0);
  });
});
