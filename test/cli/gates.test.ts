import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/schema/message.ts';
import { runCli } from './cli-process.ts';
import { startCliStack, type CliStack } from './cli-stack.ts';

const parsed = (line: string): unknown => JSON.parse(line);

let stack: CliStack;
beforeAll(async () => {
  stack = await startCliStack();
});
afterAll(() => stack.stop());
afterEach(() => stack.model.assertDone());

/** Runs a turn to the gate of this call. */
async function waiting(session: string, tool: string, input: Record<string, Json>): Promise<string> {
  stack.model.calls(tool, input);
  const { stderr } = await stack.cli('run', 'support', 'Go on', '--session', session);
  return /durascope confirm (\S+)/.exec(stderr)?.[1] ?? '';
}

describe('a gate', () => {
  it('stops run with 1 and says how to answer; confirm lets the call run with other arguments', async () => {
    stack.model.calls('refund', { orderId: '1001' });
    const { code, stdout, stderr } = await stack.cli('run', 'support', 'Refund 1001', '--session', 'gate');
    expect(code).toBe(1);
    expect(stdout).toContain('? refund waits for approval');
    const [, callId = ''] = /durascope confirm (\S+)/.exec(stderr) ?? [];

    const gates = parsed((await stack.cli('gates', '--json')).stdout);
    expect(gates).toMatchObject({ items: [{ callId, sessionId: 'gate', name: 'refund' }] });
    expect((await stack.cli('gates')).stdout).toBe(
      [
        `${callId}  refund waits for approval`,
        '  session gate · turn 1',
        '  {"orderId":"1001"}',
        '  why: refund asks before it acts',
        '  rules: refund(orderId=1001) · refund',
        '',
      ].join('\n'),
    );

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
    expect((await stack.cli('show', 'gate')).stdout).toContain(
      '→ refund {"orderId":"1001"}\n  edited to {"orderId":"77"} by ann\n  ✓ refunded 77\n',
    );
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

  it('is closed with a rule to remember, so that the next call like it is not asked; audit tells who decided', async () => {
    const callId = await waiting('remembered', 'refund', { orderId: '8' });
    stack.model.says('Refunded.').calls('refund', { orderId: '8' }).says('Again.');
    expect((await stack.cli('confirm', callId, '--remember', '--input', '{"orderId":"9"}')).code).toBe(2);
    expect((await stack.cli('confirm', callId, '--remember', '--actor', 'ann')).stdout).toBe(
      `allowed ${callId}: session remembered goes on\nfrom now on remembered allows refund(orderId=8)\n`,
    );
    const again = await stack.cli(
      'run',
      'support',
      'Once more',
      '--session',
      'remembered',
      '--if-busy',
      'queue',
    );
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('Again.') as string });

    const { stdout } = await stack.cli('audit', 'remembered');
    expect(stdout).toMatch(/^WHEN +TURN +TOOL +CALL +DECISION +BY +RULE +REASON\n/);
    expect(stdout).toMatch(/ refund +call_\S+ +ask +the tool /);
    expect(stdout).toMatch(/ refund +call_\S+ +allow +ann /);
    expect(stdout).toMatch(/ allow +a rule +refund\(orderId=8\) of confirmation /);
    const page = await stack.cli('audit', 'remembered', '--call', callId, '--limit', '1', '--json');
    expect(parsed(page.stdout)).toMatchObject({
      items: [{ callId, behavior: 'ask' }],
      nextCursor: expect.any(String) as string,
    });
  });

  it('of a question takes an answer that fits; a secret only from stdin', async () => {
    const callId = await waiting('asked', 'ask_user', {
      question: 'Which size?',
      options: [{ label: 'S' }, { label: 'L' }],
    });
    expect((await stack.cli('gates')).stdout).toContain(
      `${callId}  ask_user waits for an answer\n  session asked · turn 1\n  Which size?\n    1  S\n    2  L\n`,
    );
    expect(await stack.cli('confirm', callId)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--answer') as string,
    });
    stack.model.says('L it is.');
    expect((await stack.cli('confirm', callId, '--answer', 'L')).stdout).toBe(
      `answered ${callId}: session asked goes on\n`,
    );
    const secretId = await waiting('secret', 'ask_user', { question: 'Password?', secret: true });
    expect(await stack.cli('confirm', secretId, '--answer', 'hunter2')).toMatchObject({ code: 2 });
    const asked = stack.model.requests.length;
    stack.model.says('Thanks.');
    const { code } = await runCli(['confirm', secretId, '--answer', '-'], {
      cwd: stack.project.folder,
      env: stack.env,
      input: 'hunter2\n',
    });
    expect(code).toBe(0);
    const request = await stack.model.waitForRequest(asked + 1);
    expect(request.messages.at(-1)?.text).toContain('The user gave the secret');
    expect(JSON.stringify(request.body)).not.toContain('hunter2');
  });
});
