import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCliStack, type CliStack } from './cli-stack.ts';

let stack: CliStack;
beforeAll(async () => {
  stack = await startCliStack();
});
afterAll(() => stack.stop());

describe('durascope serve', () => {
  it('serves the API, logs JSON lines, and ends at SIGTERM with 0, streams too', async () => {
    stack.model.says('Hello.');
    const serve = stack.live(['serve', '--port', '0']);
    const url = await serve.waitFor(/"url":"(http:[^"]+)"/);
    const submitted = await fetch(`${url}/v1/sessions/s1/turns`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-request-id': 'req-7' },
      body: JSON.stringify({ agent: 'support', input: 'Hi, my password is hunter2' }),
    });
    const { turnId } = (await submitted.json()) as { turnId: string };
    const turn = await fetch(`${url}/v1/turns/${encodeURIComponent(turnId)}?wait=60`);
    expect(await turn.json()).toMatchObject({ state: 'ended', reply: { text: 'Hello.' } });

    const stream = await fetch(`${url}/v1/sessions/s1/events`);
    serve.kill('SIGTERM');
    expect(await stream.text()).toContain('event: turn_end');
    const { code, stdout } = await serve.finished;
    expect(code).toBe(0);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.at(0)).toMatchObject({ message: 'api serves', agents: ['support'] });
    expect(lines.at(-1)).toMatchObject({ message: 'api has stopped' });
  });

  it('refuses to be reached by others while no key is set', async () => {
    const { code, stderr } = await stack.cli('serve', '--host', '0.0.0.0', '--port', '0');
    expect(code).toBe(1);
    expect(stderr).toContain('Without API keys');
  });
});
