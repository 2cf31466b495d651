import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startCliStack, type CliStack } from './cli-stack.ts';

const parsed = (line: string): unknown => JSON.parse(line);

let stack: CliStack;
beforeAll(async () => {
  stack = await startCliStack();
  stack.model.says('It is on its way.').says('Yes.');
  await stack.cli('run', 'support', 'Where is order 1001?', '--session', 'plain');
  await stack.cli('run', 'support', 'Really?', '--session', 'other');
});
afterAll(() => stack.stop());
afterEach(() => stack.model.assertDone());

describe('sessions and show', () => {
  it('list what there is, by state and page by page', async () => {
    const first = parsed((await stack.cli('sessions', '--limit', '1', '--json')).stdout) as {
      items: unknown[];
      nextCursor: string;
    };
    expect(first.items).toHaveLength(1);
    const second = await stack.cli('sessions', '--limit', '1', '--cursor', first.nextCursor, '--json');
    expect((parsed(second.stdout) as typeof first).items).not.toEqual(first.items);
    expect((await stack.cli('sessions', '--state', 'waiting')).stdout).toBe('');
    expect((await stack.cli('sessions', '--agent', 'support')).stdout).toMatch(
      /^SESSION .*\n(?:.*\n)*plain +support +idle/,
    );
    expect((await stack.cli('sessions', '--owner', 'nobody')).stderr).toContain(
      'owner nobody has no such sessions',
    );
  });

  it('tell a session with its turns and messages, and replay its events from a cursor', async () => {
    const { stdout } = await stack.cli('show', 'plain');
    expect(stdout).toContain('plain of');
    expect(stdout).toMatch(/^TURN +RUNS +STATE .*\n1 +1 +ended /m);
    expect(stdout).toContain('> Where is order 1001?\nIt is on its way.');
    expect(parsed((await stack.cli('show', 'plain', '--json')).stdout)).toMatchObject({
      state: 'idle',
      lastTurn: 1,
      pending: [],
    });

    const all = (await stack.cli('show', 'plain', '--events', '--json')).stdout.trim().split('\n');
    const rest = (await stack.cli('show', 'plain', '--events', '--json', '--after', '2')).stdout
      .trim()
      .split('\n');
    expect(rest).toEqual(all.slice(2));
    expect((await stack.cli('show', 'plain', '--events')).stdout).toMatch(
      /^> Where is order 1001\?\nIt is on its way\.\n— /,
    );
  });

  it('read on while Temporal is away', async () => {
    expect((await stack.cli('show', 'plain', '--address', '127.0.0.1:1')).code).toBe(0);
  });

  it('say when there is no such session', async () => {
    for (const command of [
      ['show', 'nope'],
      ['interrupt', 'nope'],
      ['steer', 'nope', 'x'],
    ])
      expect(await stack.cli(...command)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('has no session nope') as string,
      });
  });
});
