import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCliStack, type CliStack } from './cli-stack.ts';

let stack: CliStack;
beforeAll(async () => {
  stack = await startCliStack();
});
afterAll(() => stack.stop());

describe('durascope keys', () => {
  it('makes a key that the server takes, shows it once, lists it, and revokes it for the running server', async () => {
    const serve = stack.live(['serve', '--port', '0']);
    const url = await serve.waitFor(/"url":"(http:[^"]+)"/);
    const agents = (key?: string) =>
      fetch(`${url}/v1/agents`, key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } });
    expect((await agents()).status).toBe(200);

    const made = await stack.cli(
      'keys',
      'create',
      'ann',
      '--scopes',
      'read,approve',
      '--roles',
      'accounting',
    );
    expect(made.code).toBe(0);
    const key = made.stdout.trim();
    expect(made.stderr).toContain('shown this once');
    expect((await agents()).status).toBe(401);
    expect((await agents(key)).status).toBe(200);
    const read = await fetch(`${url}/v1/sessions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{"agent":"support"}',
    });
    expect(read.status).toBe(403);

    const listed = await stack.cli('keys', 'list');
    const [id = ''] = listed.stdout.split('\n')[1]?.split(' ') ?? [];
    expect(listed.stdout).toContain('ann');
    expect(listed.stdout).not.toContain(key.split('_')[2]);
    expect((await stack.cli('keys', 'revoke', id)).stdout).toBe(`revoked ${id}\n`);
    expect((await agents(key)).status).toBe(401);
    serve.kill('SIGTERM');
    const { stdout, stderr } = await serve.finished;
    expect(`${stdout}${stderr}`).not.toContain(key.split('_')[2]);
  });

  it('says what is wrong with its options', async () => {
    const scope = await stack.cli('keys', 'create', 'ann', '--scopes', 'write');
    expect(scope).toMatchObject({ code: 2, stderr: expect.stringContaining('write is none of') as string });
    const unknown = await stack.cli('keys', 'revoke', 'nothing');
    expect(unknown).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has no key nothing') as string,
    });
  });
});
