import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionSlots, ToolContext } from '../../src/tools/tool.ts';
import { folderName } from '../../src/workspace/session-folder.ts';
import { workspace } from '../../src/workspace/workspace-source.ts';
import { memorySlots } from '../../src/tools/memory-slots.ts';
import { aSourceContext } from '../support/worker-scope.ts';
import { aCall } from '../tools/a-tool.ts';
import { sampleBackend } from './sample-backends.ts';

let root: string;
let slots: SessionSlots;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'workspaces-'));
  slots = memorySlots();
});
afterEach(() => rm(root, { recursive: true, force: true }));

const load = (source = workspace({ backend: sampleBackend('local', root) })) =>
  source.load(aSourceContext({ agent: 'coder', slots }));

describe('the workspace as a source of tools', () => {
  it('has the same tools from step to step, and its folder is a working directory', async () => {
    const source = workspace({ backend: sampleBackend('local', root) });
    const [first, second] = [await load(source), await load(source)];
    expect(first.tools.map(({ name }) => name)).toEqual(['bash', 'read', 'write', 'edit', 'glob', 'grep']);
    expect(second.tools).toBe(first.tools);
    expect(second.instructions).toBe(first.instructions);
    expect(first.notice).toBeUndefined();
    expect(first.workingDirectories).toEqual([expect.stringMatching(/\/acme\/s1$/)]);
  });

  it('gives only the tools that are named', async () => {
    const { tools } = await load(
      workspace({ backend: sampleBackend('local', root), tools: ['read', 'glob'] }),
    );
    expect(tools.map(({ name }) => name)).toEqual(['read', 'glob']);
  });

  it('makes nothing where they are only listed', async () => {
    const { tools } = await workspace({ backend: sampleBackend('local', root) }).load(
      aSourceContext({ agent: 'coder', slots, isListing: true }),
    );
    expect(tools.map(({ name }) => name)).toContain('bash');
    expect(tools[0]?.isReadOnly({})).toBe(false);
    expect(await readdir(root)).toEqual([]);
  });

  it('says when the folder is gone, again and again in the same words', async () => {
    await load();
    await rm(join(root, 'acme'), { recursive: true });
    const { notice } = await load();
    expect(notice).toContain('are lost');
    expect((await load()).notice).toBe(notice);
  });

  it('says when it is another folder, and nothing when the right one is elsewhere', async () => {
    await load();
    const elsewhere = await mkdtemp(join(tmpdir(), 'workspaces-'));
    await rename(join(root, 'acme'), join(elsewhere, 'acme'));
    const moved = await load(workspace({ backend: sampleBackend('local', elsewhere) }));
    expect(moved.notice).toBeUndefined();
    // Another worker with a disk of its own.
    expect((await load()).notice).toContain('are lost');
    await rm(elsewhere, { recursive: true });
  });

  it('can be removed with all that was kept of it', async () => {
    const source = workspace({ backend: sampleBackend('local', root) });
    const ref = { owner: 'acme', sessionId: 's1' };
    const [folder = ''] = (await load(source)).workingDirectories ?? [];
    const outside = await mkdtemp(join(tmpdir(), 'outside-'));
    await writeFile(join(outside, 'kept'), '');
    await symlink(outside, join(folder, 'link'));
    await (await source.snapshots(ref)).take('1');
    await source.remove(ref);
    expect(await readdir(join(root, 'acme'))).toEqual([]);
    expect(await readdir(join(root, '.snapshots', 'acme'))).toEqual([]);
    expect(await readdir(outside)).toEqual(['kept']);
    await source.remove(ref);
    await rm(outside, { recursive: true });
  });

  it('makes nothing through links that commands left in its own folder', async () => {
    const [folder = ''] = (await load()).workingDirectories ?? [];
    const outside = await mkdtemp(join(tmpdir(), 'outside-'));
    const own = join(folder, '.durascope');
    await rm(own, { recursive: true });
    await symlink(outside, own);
    expect((await load()).tools).toHaveLength(6);
    expect(await readdir(outside)).toEqual([]);

    await rm(own, { recursive: true });
    await mkdir(own);
    await symlink(outside, join(own, 'home'));
    await symlink(join(outside, 'made'), join(own, 'workspace.json'));
    expect((await load()).tools).toHaveLength(6);
    expect(await readdir(outside)).toEqual([]);
    await rm(outside, { recursive: true });
  });

  it('forgets what was read of a folder that is lost', async () => {
    const context = { ...aCall({ slots }), progress: () => undefined, preset: {} } as unknown as ToolContext;
    const first = await load();
    const write = first.tools.find(({ name }) => name === 'write')!;
    await write.execute({ path: 'a.txt', content: '1' }, context);
    await rm(join(root, 'acme'), { recursive: true });
    await load();
    expect(await slots.read('workspace')).toMatchObject({ seen: {} });
  });
});

describe('a folder name', () => {
  it.each([
    ['acme', 'acme'],
    ['Acme', '%41cme'],
    ['..', '%2E.'],
    ['.git', '%2Egit'],
    ['a/b', 'a%2Fb'],
    ['a%b', 'a%25b'],
    ['ü', '%C3%BC'],
    ['a~b', 'a%7Eb'],
  ])('of %s is %s', (id, name) => expect(folderName(id)).toBe(name));

  it('is never too long, and differs where only the end does', () => {
    const [one, other] = [folderName(`${'X'.repeat(128)}1`), folderName(`${'X'.repeat(128)}2`)];
    expect(one.length).toBeLessThan(130);
    expect(one).not.toBe(other);
  });
});
