import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EnvironmentOptions } from '../../src/workspace/environment.ts';
import type { Command, ExecEnd, Workspace } from '../../src/workspace/workspace.ts';
import { sampleBackend, type BackendName } from './sample-backends.ts';

const holdProcess = fileURLToPath(new URL('hold-process.ts', import.meta.url));

export interface RunResult extends ExecEnd {
  stdout: string;
  stderr: string;
}

const noOp: (output: string) => void = () => {};

export async function run(
  workspace: Workspace,
  command: string | Command,
  { timeoutMs = 60_000, signal = new AbortController().signal, cwd = '.', onOutput = noOp } = {},
): Promise<RunResult> {
  const output = { stdout: '', stderr: '' };
  const asCommand = typeof command === 'string' ? { shell: command } : command;
  const execution = workspace.exec(asCommand, { timeoutMs, signal, cwd });
  for (;;) {
    const step = await execution.next();
    if (step.done) return { ...output, ...step.value };
    output[step.value.from] += step.value.bytes.toString();
    onOutput(output[step.value.from]);
  }
}

/** What every back end holds to. */
export function describeBackend(name: BackendName): void {
  describe(`a workspace of ${name}`, () => {
    let root: string;
    let workspace: Workspace;
    const make = (options?: EnvironmentOptions) => sampleBackend(name, root, options);
    let outside: string;
    beforeAll(async () => {
      root = await mkdtemp(join(tmpdir(), 'workspaces-'));
      workspace = await make().open({ owner: 'acme', sessionId: 'S/1' });
      outside = await mkdtemp(join(tmpdir(), 'outside-'));
      await writeFile(join(outside, 'secret.txt'), 'secret');
    });
    afterAll(async () => {
      await rm(outside, { recursive: true, force: true });
      await rm(root, { recursive: true, force: true });
    });

    const text = (content: string) => new TextEncoder().encode(content);
    const read = async (path: string) =>
      new TextDecoder().decode(await workspace.read(path, { maxBytes: 1000 }));
    /** A process of this machine whose arguments hold the mark is gone. */
    const untilGone = async (mark: string) => {
      for (;;) {
        const all = execFileSync('ps', ['-eo', 'args']).toString().split('\n');
        if (!all.some((line) => line.includes(mark) && !line.includes('ps -eo'))) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };

    it('is the same folder each time, and another for another session', async () => {
      await workspace.write('mine.txt', text('1'));
      const again = await make().open({ owner: 'acme', sessionId: 'S/1' });
      const other = await make().open({ owner: 'acme', sessionId: 's/1' });
      expect(again.root).toBe(workspace.root);
      expect(await again.stat('mine.txt')).toMatchObject({ kind: 'file', bytes: 1 });
      expect(await other.stat('mine.txt')).toBeUndefined();
    });

    it('writes, makes parents, reads, lists and hashes', async () => {
      await workspace.write('a/b/c.txt', text('hello'));
      expect(await read('a/b/c.txt')).toBe('hello');
      expect(await read(join(workspace.root, 'a/b/../b/c.txt'))).toBe('hello');
      expect(await workspace.list('a')).toMatchObject([{ name: 'b', kind: 'directory' }]);
      expect(await workspace.hash('a/b/c.txt')).toBe(
        '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
      );
      expect(await workspace.hash('a/none.txt')).toBeUndefined();
      expect(await workspace.realpath('a/./b/c.txt')).toBe(join(workspace.root, 'a/b/c.txt'));
    });

    it('removes a file, and minds none that is missing', async () => {
      await workspace.write('gone/file.txt', text('x'));
      await workspace.remove('gone/file.txt');
      await workspace.remove('gone/file.txt');
      await workspace.remove('nowhere/file.txt');
      expect(await workspace.list('gone')).toEqual([]);
    });

    it('replaces a file in one step, and keeps its mode', async () => {
      await workspace.write('run.sh', text('one'));
      await run(workspace, 'chmod 755 run.sh && ln run.sh other.sh');
      await workspace.write('run.sh', text('two'));
      const { mode } = await stat(join(workspace.root, 'run.sh'));
      expect((mode & 0o777).toString(8)).toBe('755');
      expect(await read('other.sh')).toBe('one');
      const names = (await workspace.list('.')).map((entry) => entry.name);
      expect(names.filter((entry) => entry.startsWith('.durascope-'))).toEqual([]);
    });

    it('says what is wrong with a path', async () => {
      await workspace.write('file', text('x'));
      await mkdir(join(workspace.root, 'folder'), { recursive: true });
      await run(workspace, 'mkfifo pipe || true');
      await expect(read('none')).rejects.toMatchObject({ code: 'not_found' });
      await expect(read('folder')).rejects.toMatchObject({ code: 'is_directory' });
      await expect(read('file/below')).rejects.toMatchObject({ code: 'not_a_directory' });
      await expect(read('pipe')).rejects.toMatchObject({ code: 'not_a_file' });
      await expect(workspace.read('file', { maxBytes: 0 })).rejects.toMatchObject({ code: 'too_large' });
      await expect(workspace.write('folder', text(''))).rejects.toMatchObject({ code: 'is_directory' });
      await expect(workspace.list('file')).rejects.toMatchObject({ code: 'not_a_directory' });
    });

    it('follows links inside', async () => {
      await workspace.write('real/file.txt', text('real'));
      await symlink('real', join(workspace.root, 'relative')).catch(() => undefined);
      await symlink(join(workspace.root, 'real'), join(workspace.root, 'absolute')).catch(() => undefined);
      expect(await read('relative/file.txt')).toBe('real');
      expect(await read('absolute/../real/file.txt')).toBe('real');
      await workspace.write('relative/new.txt', text('new'));
      expect(await read('real/new.txt')).toBe('new');
    });

    describe('never leaves its folder', () => {
      beforeAll(async () => {
        const links: [string, string][] = [
          [outside, 'out'],
          [join(outside, 'secret.txt'), 'out-file'],
          [join(outside, 'made.txt'), 'dangling'],
          ['../..', 'up'],
          ['out', 'chain'],
          ['/proc/self/cwd', 'proc'],
          ['loop-b', 'loop-a'],
          ['loop-a', 'loop-b'],
        ];
        for (const [target, link] of links) await symlink(target, join(workspace.root, link));
      });

      it.each([
        '../x',
        'a/../../x',
        '/etc/passwd',
        '/',
        '//etc/passwd',
        'out/secret.txt',
        'out-file',
        'dangling',
        'chain/secret.txt',
        'up/x',
        'out/../../x',
        'proc/package.json',
        'loop-a',
        'x\0y',
        '..',
      ])('%j', async (path) => {
        const refused = { code: expect.stringMatching(/outside_workspace|not_found/) as string };
        await expect(read(path)).rejects.toMatchObject(refused);
        await expect(workspace.write(path, text('pwned'))).rejects.toMatchObject(refused);
        await expect(workspace.list(path)).rejects.toMatchObject(refused);
        await expect(workspace.create(path)).rejects.toMatchObject(refused);
        await expect(workspace.remove(path).then(() => read(path))).rejects.toMatchObject(refused);
        await expect(workspace.realpath(path)).rejects.toMatchObject(refused);
        await expect(run(workspace, 'true', { cwd: path })).rejects.toMatchObject(refused);
        expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
        await expect(access(join(outside, 'made.txt'))).rejects.toThrow();
      });

      it('not of a path that begins like its own', async () => {
        await mkdir(`${workspace.root}-evil`, { recursive: true });
        await writeFile(`${workspace.root}-evil/x`, 'x');
        await expect(read(`${workspace.root}-evil/x`)).rejects.toMatchObject({ code: 'outside_workspace' });
      });
    });

    it('runs a command line and a program in the workspace', async () => {
      expect(await run(workspace, 'echo out; echo err >&2; exit 3')).toEqual({
        stdout: 'out\n',
        stderr: 'err\n',
        exitCode: 3,
        signal: null,
        by: 'itself',
      });
      const { stdout } = await run(workspace, { argv: ['printf', '%s|', 'a b', '$HOME', "'"] });
      expect(stdout).toBe("a b|$HOME|'|");
      await workspace.write('sub/here.txt', text(''));
      expect((await run(workspace, 'pwd; ls', { cwd: 'sub' })).stdout).toBe(
        `${join(workspace.root, 'sub')}\nhere.txt\n`,
      );
      expect((await run(workspace, '[[ a == a* ]] && echo bash')).stdout).toBe('bash\n');
    });

    it('gives commands nothing of the worker’s environment but what is named', async () => {
      process.env['DURASCOPE_TEST_SECRET'] = 'hidden';
      process.env['DURASCOPE_TEST_PASSED'] = 'passed';
      const backend = make({ env: { GIVEN: 'given' }, passEnv: ['DURASCOPE_TEST_PASSED'] });
      const { stdout } = await run(await backend.open({ owner: 'acme', sessionId: 'env' }), 'env');
      expect(stdout).not.toContain('hidden');
      expect(stdout).toContain('GIVEN=given\n');
      expect(stdout).toContain('DURASCOPE_TEST_PASSED=passed\n');
      expect(stdout).toMatch(/^HOME=.*\.durascope\/home$/m);
    });

    it('streams output while the command runs', async () => {
      const gate = join(workspace.root, 'gate');
      const { stdout } = await run(
        workspace,
        'echo first; until [ -e gate ]; do sleep 0.05; done; echo last',
        {
          onOutput: (output) => output === 'first\n' && void writeFile(gate, ''),
        },
      );
      expect(stdout).toBe('first\nlast\n');
    });

    it('hands over all of a long output to a slow reader', async () => {
      const execution = workspace.exec(
        { shell: 'head -c 3000000 /dev/zero' },
        { timeoutMs: 60_000, signal: new AbortController().signal },
      );
      let bytes = 0;
      for await (const chunk of execution) {
        bytes += chunk.bytes.length;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      expect(bytes).toBe(3_000_000);
    });

    it('ends a command at its time limit, with grandchildren that ignore SIGTERM', async () => {
      const mark = `31${process.pid}.1`;
      const command = `trap '' TERM; (trap '' TERM; sleep ${mark}; sleep ${mark}) & sleep ${mark}`;
      const result = await run(workspace, command, { timeoutMs: 500 });
      expect(result).toMatchObject({ by: 'timeout' });
      await untilGone(`sleep ${mark}`);
    });

    it('ends a command that is aborted', async () => {
      const mark = `32${process.pid}.1`;
      const stop = new AbortController();
      const result = await run(workspace, `echo up; (sleep ${mark}; true); true`, {
        signal: stop.signal,
        onOutput: () => stop.abort(),
      });
      expect(result).toMatchObject({ by: 'abort', stdout: 'up\n' });
      await untilGone(`sleep ${mark}`);
    });

    it('ends a command that nobody reads any more', async () => {
      const mark = `33${process.pid}.1`;
      const execution = workspace.exec(
        { shell: `echo up; sleep ${mark}; true` },
        { timeoutMs: 60_000, signal: new AbortController().signal },
      );
      await execution.next();
      await execution.return({ exitCode: null, signal: null, by: 'abort' });
      await untilGone(`sleep ${mark}`);
    });

    it('does not wait for what a command leaves in the background, and ends it', async () => {
      const mark = `34${process.pid}.1`;
      const result = await run(workspace, `sleep ${mark} & sleep ${mark} >/dev/null 2>&1 & echo done`);
      expect(result).toMatchObject({ stdout: 'done\n', exitCode: 0, by: 'itself' });
      await untilGone(`sleep ${mark}`);
    });

    it('dies with the process that runs it', async () => {
      const mark = `35${process.pid}.1`;
      const command = `echo up; (trap '' TERM HUP INT; sleep ${mark}; true) & wait`;
      const holder = spawn(process.execPath, [holdProcess, name, root, command], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(holder.stdout, 'data');
      holder.kill('SIGKILL');
      await untilGone(`sleep ${mark}`);
    });
  });
}
