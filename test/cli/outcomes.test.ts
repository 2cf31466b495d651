import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startCliStack, type CliStack } from './cli-stack.ts';
import type { Finished, RunningCli } from './cli-process.ts';

let stack: CliStack;
let second: RunningCli | undefined;
beforeAll(async () => {
  stack = await startCliStack();
});
afterAll(async () => {
  second?.kill('SIGKILL');
  await second?.finished;
  await stack.stop();
});
afterEach(() => stack.model.assertDone());

/** The call that it says how to answer. */
const callOf = ({ stderr }: Finished): string => /durascope \w+ (call_\S+)/.exec(stderr)?.[1] ?? '';

describe('result', () => {
  it('answers a call of an external tool, for which run says how, and confirm too', async () => {
    stack.model.calls('ship', { orderId: '1' });
    const waiting = await stack.cli('run', 'support', 'Ship 1', '--session', 'shipped');
    const callId = callOf(waiting);
    const how = `  durascope result ${callId} --content "…"\n`;
    expect(waiting).toMatchObject({
      code: 1,
      stderr: `ship waits for its system; to answer in its place:\n${how}`,
    });
    expect((await stack.cli('gates')).stdout).toContain(how);
    for (const answer of [
      ['confirm', callId],
      ['deny', callId, '--reason', 'no'],
    ])
      expect(await stack.cli(...answer)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(how) as string,
      });

    const asked = stack.model.requests.length;
    stack.model.says('Sorry.');
    expect((await stack.cli('result', callId, '--error', '--content', 'out of stock')).stdout).toBe(
      `answered ${callId}: session shipped goes on\n`,
    );
    const request = await stack.model.waitForRequest(asked + 1);
    expect(request.messages.at(-1)?.text).toContain('out of stock');
    expect((await stack.cli('show', 'shipped')).stdout).toContain('✗ error out of stock');
  });
});

describe('reconcile', () => {
  it('says of calls whose worker was killed whether they happened: one is not run again, the other is', async () => {
    const begin = async (orderId: string) => {
      stack.model.calls('charge', { orderId });
      const run = stack.live(['run', 'support', `Charge ${orderId}`, '--session', `charge-${orderId}`]);
      await stack.worker.waitFor(`charging ${orderId}`);
      return run;
    };
    const runs = [await begin('a'), await begin('b')];
    stack.worker.kill('SIGKILL');
    second = stack.live(['worker']);
    const waiting = await Promise.all(runs.map(({ finished }) => finished));
    const [a = '', b = ''] = waiting.map(callOf);
    const how = (callId: string) =>
      ['--happened', '--did-not-happen']
        .map((what) => `  durascope reconcile ${callId} ${what} --reason "…"\n`)
        .join('');
    expect(waiting.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      [a, b].map((callId) => ({
        code: 1,
        stderr: `charge may have happened; find out, and say:\n${how(callId)}`,
      })),
    );
    expect((await stack.cli('gates')).stdout).toContain(how(a));
    expect(await stack.cli('confirm', a)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(how(a)) as string,
    });

    const why = ['--reason', 'seen in the bank statement'];
    for (const wrong of [why, ['--happened', '--did-not-happen', ...why], ['--happened']])
      expect(await stack.cli('reconcile', a, ...wrong)).toMatchObject({ code: 2, stdout: '' });

    const asked = stack.model.requests.length;
    stack.model.says('Charged a.').says('Charged b.');
    expect((await stack.cli('reconcile', a, '--happened', '--content', 'charged once', ...why)).stdout).toBe(
      `recorded ${a}: session charge-a goes on\n`,
    );
    expect((await stack.model.waitForRequest(asked + 1)).messages.at(-1)?.text).toBe('charged once');
    expect((await stack.cli('reconcile', b, '--did-not-happen', ...why)).stdout).toBe(
      `reopened ${b}: session charge-b goes on\n`,
    );
    expect((await stack.model.waitForRequest(asked + 2)).messages.at(-1)?.text).toBe('charged again');
  });
});
