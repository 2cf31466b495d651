import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readlink,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ToolContext } from '../../src/tools/tool.ts';
import { Git } from '../../src/workspace/git.ts';
import { WorkspaceSnapshots, type SnapshotOptions } from '../../src/workspace/snapshots.ts';
import { workspace } from '../../src/workspace/workspace-source.ts';
import { memorySlots } from '../../src/tools/memory-slots.ts';
import { aSourceContext } from '../support/worker-scope.ts';
import { aCall } from '../tools/a-tool.ts';
import { run } from './backend-contract.ts';
import { sampleBackend } from './sample-backends.ts';

let base: string;
let root: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'snapshots-'));
  root = join(base, 'files');
  await mkdir(root);
});
afterEach(() => rm(base, { recursive: true, force: true }));

const snapshots = (options?: SnapshotOptions) =>
  new WorkspaceSnapshots(root, join(base, 'snapshots.git'), options);
const write = async (path: string, content: string | Uint8Array) => {
  await mkdir(join(root, path, '..'), { recursive: true });
  await writeFile(join(root, path), content);
};
const read = (path: string) => readFile(join(root, path), 'utf8');
const isThere = (path: string) =>
  lstat(join(root, path)).then(
    () => true,
    () => false,
  );

describe('snapshots of a workspace', () => {
  it('are taken though a worker died in the middle of one, and not over one that lives', async () => {
    await write('a.txt', 'one');
    await snapshots().take('1');
    const gitFolder = join(base, 'snapshots.git');
    const locks = ['index.lock', 'refs/snapshots/2.lock'].map((name) => join(gitFolder, name));
    const leaveBehind = async (pid: number, since = 0) => {
      for (const lock of locks) await writeFile(lock, '');
      await writeFile(join(gitFolder, 'holder.json'), JSON.stringify({ host: hostname(), pid, since }));
    };
    await leaveBehind(process.pid, performance.timeOrigin);
    await expect(snapshots().take('2')).rejects.toThrow(/index\.lock/);
    await leaveBehind(process.ppid);
    await expect(snapshots().take('2')).rejects.toThrow(/index\.lock/);

    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    await leaveBehind(dead);
    await snapshots().take('2');
    // The worker of before, in a container that was started again.
    await leaveBehind(process.pid);
    await snapshots().take('3');
    const longAgo = new Date(Date.now() - 3_600_000);
    await writeFile(join(gitFolder, 'index.lock'), '');
    await utimes(join(gitFolder, 'index.lock'), longAgo, longAgo);
    await snapshots().take('4');
    expect((await snapshots().list()).map(({ id }) => id)).toEqual(['1', '2', '3', '4']);
  });

  it('bring back what was changed, deleted, made, linked and marked', async () => {
    await write('kept.txt', 'one');
    await write('dir/deleted.txt', 'still here\r\n');
    await write('run.sh', 'echo');
    await chmod(join(root, 'run.sh'), 0o755);
    await symlink('kept.txt', join(root, 'link'));
    await snapshots().take('1');

    await write('kept.txt', 'two');
    await rm(join(root, 'dir'), { recursive: true });
    await write('made/later.txt', 'x');
    await chmod(join(root, 'run.sh'), 0o644);
    await rm(join(root, 'link'));
    await symlink('/etc/passwd', join(root, 'link'));
    await snapshots().restore('1');

    expect(await read('kept.txt')).toBe('one');
    expect(await read('dir/deleted.txt')).toBe('still here\r\n');
    expect(await isThere('made')).toBe(false);
    expect((await lstat(join(root, 'run.sh'))).mode & 0o111).not.toBe(0);
    expect(await readlink(join(root, 'link'))).toBe('kept.txt');

    await snapshots().restore('undo');
    expect(await read('kept.txt')).toBe('two');
    expect(await read('made/later.txt')).toBe('x');
  });

  it('do not write through a folder that became a link', async () => {
    const outside = join(base, 'outside');
    await mkdir(outside);
    await write('dir/file.txt', 'inside');
    await snapshots().take('1');
    await rm(join(root, 'dir'), { recursive: true });
    await symlink(outside, join(root, 'dir'));
    await snapshots().restore('1');
    expect(await read('dir/file.txt')).toBe('inside');
    expect((await lstat(join(root, 'dir'))).isDirectory()).toBe(true);
    await expect(lstat(join(outside, 'file.txt'))).rejects.toThrow();
  });

  it('say what they leave out, and leave it alone', async () => {
    await write('.gitignore', 'ignored/\n');
    await write('ignored/big-build', 'x');
    await write('large.bin', 'y'.repeat(2000));
    await write('small.txt', 'small');
    await write('grows.txt', 'g');
    await write('nested/.git/HEAD', 'ref: refs/heads/main\n');
    await write('nested/.git/config', '[core]\nrepositoryformatversion = 0\n');
    await mkdir(join(root, 'nested/.git/objects'), { recursive: true });
    await mkdir(join(root, 'nested/.git/refs'), { recursive: true });
    await write('nested/file.txt', 'n');
    const limited = snapshots({ maxFileBytes: 1000 });
    await limited.take('1');
    await write('grows.txt', 'g'.repeat(2000));
    await limited.take('2');

    const [first, second] = await limited.list();
    expect(first).toMatchObject({ id: '1', files: 3, leftOutCount: 2 });
    expect(first?.leftOut).toEqual([
      { path: 'large.bin', why: 'too_large' },
      { path: 'nested/', why: 'repository' },
    ]);
    expect(second?.leftOut).toContainEqual({ path: 'grows.txt', why: 'too_large' });

    await rm(join(root, 'small.txt'));
    await limited.restore('1');
    expect(await read('small.txt')).toBe('small');
    expect(await read('large.bin')).toHaveLength(2000);
    expect(await read('ignored/big-build')).toBe('x');
    expect(await read('nested/file.txt')).toBe('n');
  });

  it('keep every byte, whatever the files of the workspace say to Git', async () => {
    const bytes = Buffer.from([0, 13, 10, 255, 36, 73, 100, 36]);
    await write('.gitattributes', '* text=auto eol=crlf ident filter=evil\n');
    await write('data', bytes);
    await write('.git/config', '[filter "evil"]\n clean = touch pwned\n[core]\n fsmonitor = touch pwned\n');
    await write('.git/hooks/post-checkout', '#!/bin/sh\ntouch pwned\n');
    await snapshots().take('1');
    await write('data', 'other');
    await snapshots().restore('1');
    expect(await readFile(join(root, 'data'))).toEqual(bytes);
    expect(await isThere('pwned')).toBe(false);
  });

  it('wait neither for a pipe that Git would read, nor for ever', async () => {
    await write('file.txt', 'one');
    execFileSync('mkfifo', [join(root, '.gitignore')]);
    await expect(snapshots().take('1')).rejects.toThrow("./.gitignore is no file, and Git can't read it");

    expect(await snapshots().failure()).toMatchObject({
      id: '1',
      why: expect.stringContaining('no file') as string,
    });

    const git = new Git({ folder: join(base, 'snapshots.git'), workTree: root, timeoutMs: 500 });
    const args = ['ls-files', '--others', '--exclude-standard'];
    await expect(git.run(args)).rejects.toThrow('git ls-files took longer than 0.5 s');
    const interrupt = new AbortController();
    const running = git.run(args, '', interrupt.signal);
    interrupt.abort(new Error('interrupted'));
    await expect(running).rejects.toThrow('interrupted');

    await rm(join(root, '.gitignore'));
    await snapshots().take('1');
    expect(await snapshots().list()).toMatchObject([{ id: '1', files: 1 }]);
    expect(await snapshots().failure()).toBeUndefined();
  });

  it('are taken once for each id, and the oldest forgotten', async () => {
    const few = snapshots({ maxSnapshots: 2 });
    for (const id of ['8', '9', '10']) {
      await write('file.txt', id);
      await few.take(id);
      await write('file.txt', 'too late');
      await few.take(id);
    }
    expect((await few.list()).map(({ id }) => id)).toEqual(['9', '10']);
    await few.restore('9');
    expect(await read('file.txt')).toBe('9');
    await expect(few.restore('8')).rejects.toThrow('there is no snapshot "8": there are 9, 10, undo');
    await expect(few.restore('../../heads/x')).rejects.toThrow('there is no snapshot');
    await expect(new WorkspaceSnapshots(root, join(base, 'none.git')).restore('1')).rejects.toThrow(
      'none was taken',
    );
  });
});

describe('the tools of a workspace', () => {
  it('take a snapshot before the first change of a turn, and none for reading', async () => {
    const source = workspace({ backend: sampleBackend('local', base) });
    const ref = { owner: 'acme', sessionId: 's1' };
    const slots = memorySlots();
    const load = () => source.load(aSourceContext({ ref, slots }));
    const { tools } = await load();
    const call = async (name: string, input: object, turn: number) => {
      const context = { ...aCall({ slots, turnId: `turn/acme/s1/${turn}` }), progress() {}, preset: {} };
      const result = tools
        .find((tool) => tool.name === name)
        ?.execute(input, context as unknown as ToolContext);
      // A command runs while its output is taken.
      const output = (await result) as AsyncGenerator<string, unknown> | undefined;
      if (typeof output === 'object') while (!(await output.next()).done);
    };
    const opened = await sampleBackend('local', base).open(ref);
    await run(opened, 'echo 0 > file.txt');
    await call('read', { path: 'file.txt' }, 1);
    await call('bash', { command: 'ls' }, 1);
    await call('bash', { command: 'echo 2 > file.txt' }, 2);
    await call('write', { path: 'new.txt', content: 'x' }, 2);
    await call('bash', { command: 'rm new.txt; echo 3 > file.txt' }, 3);

    const kept = await source.snapshots(ref);
    expect((await kept.list()).map(({ id }) => id)).toEqual(['2', '3']);
    await kept.restore('3');
    expect((await run(opened, 'cat file.txt new.txt')).stdout).toBe('2\nx');
    await kept.restore('2');
    expect((await run(opened, 'cat file.txt; ls')).stdout).toBe('0\nfile.txt\n');
  });
});
