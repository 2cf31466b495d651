import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AWorkspace } from './a-workspace.ts';

let at: AWorkspace;
beforeAll(async () => {
  at = await AWorkspace.open();
});
afterAll(() => at.close());

describe('bash', () => {
  it('streams what a command writes, and that is its result', async () => {
    const { state, text, streamed } = await at.call('bash', { command: 'echo out; echo err >&2' });
    expect(state).toBe('success');
    expect(text.split('\n').toSorted()).toEqual(['', 'err', 'out']);
    expect(streamed).toBe(text);
    expect((await at.call('bash', { command: 'true' })).text).toBe('(no output)');
  });

  it('has no shell that lasts', async () => {
    await at.call('bash', { command: 'cd /; export X=1' });
    expect((await at.call('bash', { command: 'echo "[$X] $(pwd)"' })).text).toBe(`[] ${at.root}\n`);
  });

  it('fails with the exit code and the end of the output', async () => {
    const failed = await at.call('bash', { command: 'echo about to fail; exit 7' });
    expect(failed.state).toBe('error');
    expect(failed.text).toContain(
      'the command ended with exit code 7. The end of its output:\nabout to fail',
    );
    expect((await at.call('bash', { command: 'kill -SEGV $$' })).text).toMatch(/SIGSEGV|code 139/);
  });

  it('keeps a long output in a file, and says where', async () => {
    const command = 'seq 1 20000';
    const { text } = await at.call('bash', { command }, { callId: 'call_Long' });
    expect(text.length).toBeLessThan(33_000);
    const [, bytes, path = ''] = /All (\d+) bytes of the output are in ([^:]+):/.exec(text) ?? [];
    expect(text).toMatch(/\n19999\n20000\n$/);
    const whole = await readFile(join(at.root, path), 'utf8');
    expect(whole).toBe(Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join(''));
    expect(Number(bytes)).toBe(whole.length);
    expect((await at.call('read', { path, offset: 20_000 })).text).toBe(' 20000\t20000');
    expect((await at.call('grep', { pattern: '^19997$', path, outputMode: 'content' })).text).toContain(
      '19997',
    );

    const failed = await at.call('bash', { command: `${command}; false` }, { callId: 'call_Fails' });
    expect(failed.state).toBe('error');
    expect(failed.text).toMatch(/exit code 1[^]*19999\n20000\n[^]*All 108894 bytes/);
  });

  it('keeps the newest of many outputs', async () => {
    const folder = join(at.root, '.durascope/output');
    await mkdir(folder, { recursive: true });
    for (let index = 0; index < 60; index += 1) {
      await writeFile(join(folder, `old-${index}.log`), '');
      await utimes(join(folder, `old-${index}.log`), 1000 + index, 1000 + index);
    }
    await at.call('bash', { command: 'seq 1 20000' }, { callId: 'newest' });
    const names = await readdir(folder);
    expect(names).toHaveLength(50);
    expect(names).toContain('newest.log');
    expect(names).not.toContain('old-0.log');
  });

  it('does not show binary output', async () => {
    const { text } = await at.call('bash', { command: 'head -c 5000 /dev/zero' }, { callId: 'zeros' });
    expect(text).toContain('[The output is binary.\nAll 5000 bytes of the output are in');
    expect((await stat(join(at.root, '.durascope/output/zeros.log'))).size).toBe(5000);
  });

  it('does not part characters', async () => {
    const { text } = await at.call('bash', { command: "printf '\\303'; sleep 0.2; printf '\\251'" });
    expect(text).toBe('é');
  });

  it('ends at its limit', async () => {
    const { state, text } = await at.call('bash', { command: 'echo begun; sleep 100', timeout: 300 });
    expect(state).toBe('error');
    expect(text).toContain('ended at its limit of 300 ms');
    expect(text).toContain('begun');
  });

  it('ends when it is interrupted', async () => {
    const stop = new AbortController();
    const call = at.call('bash', { command: 'echo $$ > pid; sleep 100; true' }, { signal: stop.signal });
    const settled = call.catch((error: unknown) => error);
    while (!(await at.workspace.stat('pid'))?.bytes) await new Promise((resolve) => setTimeout(resolve, 20));
    const pid = Number(await at.content('pid'));
    stop.abort(new Error('interrupted'));
    expect(await settled).toMatchObject({ message: 'interrupted' });
    for (;;) {
      try {
        process.kill(-pid, 0);
      } catch {
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });

  it('runs nothing that a planted repository names', async () => {
    const planted = await AWorkspace.open();
    try {
      const { root } = planted;
      const run = promisify(execFile);
      await run('git', ['init', '-q', '--bare', root]);
      const settings = 'bare = false\nworktree = .\nfsmonitor = "touch PWN; false"\n';
      await writeFile(join(root, 'config'), `[core]\nrepositoryformatversion = 0\n${settings}`);
      for (const command of ['git status', 'git diff', 'git ls-files -m', 'git log'])
        await planted.call('bash', { command });
      expect(await readdir(root)).not.toContain('PWN');

      // Without the settings of the workspace it would.
      await run('git', ['status'], { cwd: root });
      expect(await readdir(root)).toContain('PWN');
    } finally {
      await planted.close();
    }
  });

  it('is gated by what a command does', async () => {
    const bash = at.tool('bash');
    expect(bash.isReadOnly({ command: 'git status && ls' })).toBe(true);
    expect(bash.isReadOnly({ command: 'ls > x' })).toBe(false);
    expect(bash.editTargets?.({ command: 'mkdir a && touch a/b' })).toEqual([
      join(at.root, 'a'),
      join(at.root, 'a/b'),
    ]);
    expect(bash.matchRule?.({ command: 'npm test' }, 'npm test:*', 'allow')).toBe(true);
    const asked = await bash.checkPermission({ command: 'rm -rf /' }, { owner: 'acme', sessionId: 's1' });
    expect(asked).toMatchObject({ behavior: 'ask', isSafety: true });
  });
});
