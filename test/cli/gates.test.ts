import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startCliStack, type CliStack } from './cli-stack.ts';

const parsed = (line: string): unknown => JSON.parse(line);

let stack: CliStack;
beforeAll(async () => {
  stack = await startCliStack();
});
afterAll(() => stack.stop());
afterEach(() => stack.model.assertDone());

describe('a gate', () => {
  it('stops run with 1 and says how to answer; confirm lets the call run with other arguments', async () => {
    stack.model.calls('refund', { orderId: '1001' });
    const { code, stdout, stderr } = await stack.cli('run', 'support', 'Refund 1001', '--session', 'gate');
    expect(code).toBe(1);
    expect(stdout).toContain('? refund waits for approval');
    const [, callId = ''] = /durascope confirm (\S+)/.exec(stderr) ?? [];

    const gates = parsed((await stack.cli('gates', '--json')).stdout);
    expect(gates).toMatchObject({ items: [{ callId, sessionId: 'gate', name: 'refund' }] });
    expect((await stack.cli('gates')).stdout).toContain(callId);

    const refused = await stack.cli('confirm', callId, '--input', '{"orderId": 5}');
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('orderId must be string') as string,
    });

    stack.model.says('Refunded.');
    const following = stack.live(['show', 'gate', '--events', '--follow', '--json']);
    await following.waitFor('require_user_confirm');
    expect(
      await stack.cli('confirm', callId, '--input', '{"orderId": "77"}', '--actor', 'ann', '--json'),
    ).toMatchObject({
      code: 0,
      stdout: `{"callId":"${callId}","sessionId":"gate","decision":"allow"}\n`,
    });
    await following.waitFor('"actor":"ann"');
    await following.waitFor('refunded 77');
    await following.waitFor('turn_end');
    following.kill('SIGTERM');
    expect((await following.finished).code).toBe(0);
    expect(await stack.cli('confirm', callId)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('its turn has ended') as string,
    });
    expect((await stack.cli('gates')).stdout).toBe('');
  });

  it('is closed by deny, whose reason the model reads', async () => {
    stack.model.calls('refund', { orderId: '1' });
    const { stderr } = await stack.cli('run', 'support', 'Refund 1', '--session', 'denied');
    const [, callId = ''] = /durascope deny (\S+)/.exec(stderr) ?? [];
    const asked = stack.model.requests.length;
    stack.model.says('Not refunded.');
    expect((await stack.cli('deny', callId)).code).toBe(2);
    expect((await stack.cli('deny', callId, '--reason', 'over the limit')).stdout).toBe(
      `denied ${callId}: session denied goes on\n`,
    );
    const request = await stack.model.waitForRequest(asked + 1);
    expect(request.messages.at(-1)?.text).toBe('refund was denied: over the limit');
  });

  it('is asked about at a terminal: edit, what does not fit, no, and yes', async () => {
    stack.model
      .calls([
        ['refund', { orderId: 'a' }],
        ['refund', { orderId: 'b' }],
      ])
      .says('All done.');
    const run = stack.live(['run', 'support', 'Refund both', '--session', 'asked'], true);
    await run.waitFor('approve? y(es), n(o), e(dit)');
    run.type('e\n');
    await run.waitFor('arguments: {"orderId":"a"}');
    run.type('\u0015{"orderId": 5}\n');
    await run.waitFor('orderId must be string');
    await run.waitFor('approve?');
    run.type('e\n');
    await run.waitFor('arguments:');
    run.type('\u0015{"orderId": "z"}\n');
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
});
