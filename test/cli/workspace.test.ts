import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeDevRecord, writeDevRecord } from '../../src/settings/dev-record.ts';
import { openStore } from '../../src/store/open-store.ts';
import { localBackend } from '../../src/workspace/local-backend.ts';
import { workspace } from '../../src/workspace/workspace-source.ts';
import { runCli } from './cli-process.ts';
import { aProject, type Project } from './project.ts';

const index = new URL('../../src/index.ts', import.meta.url).href;
const ref = { owner: 'acme', sessionId: 'case-42' };
let project: Project;
let file: string;
beforeAll(async () => {
  project = await aProject();
  await project.write(
    'durascope.config.ts',
    `import { defineAgent, defineConfig, localBackend, workspace } from '${index}';
     const root = import.meta.dirname + '/workspaces';
     const common = { model: 'openai/gpt-test', instructions: 'Be brief.' };
     export default defineConfig({ agents: [
       defineAgent({ ...common, name: 'coder', sources: [workspace({ backend: localBackend({ root }) })] }),
       defineAgent({ ...common, name: 'talker' }),
     ] });`,
  );
  const content = await openStore(`sqlite:${join(project.folder, 'store.db')}`);
  await content.store.sessions.open(ref, 'coder');
  await content.store.sessions.open({ ...ref, sessionId: 'talk' }, 'talker');
  await content.close();

  const root = join(project.folder, 'workspaces');
  const backend = localBackend({ root });
  file = join((await backend.open(ref)).root, 'plan.md');
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, 'first');
  await (await workspace({ backend }).snapshots(ref)).take('3');
  await writeFile(file, 'second');
});
afterAll(() => project.remove());

const cli = (...args: string[]) =>
  runCli(args, {
    cwd: project.folder,
    env: { TEMPORAL_ADDRESS: '127.0.0.1:1', DURASCOPE_STORE: 'sqlite:store.db', DURASCOPE_OWNER: 'acme' },
  });

describe('durascope workspace', () => {
  it('lists snapshots, restores one, and takes that back', async () => {
    expect((await cli('workspace', 'list', 'case-42')).stdout).toMatch(
      /BEFORE TURN +TAKEN +FILES +LEFT OUT\n3 +\d{4}-.* 1\n/,
    );
    const restored = await cli('workspace', 'restore', 'case-42', '3');
    expect(restored).toMatchObject({ code: 0 });
    expect(restored.stdout).toContain('durascope workspace restore case-42 undo');
    expect(await readFile(file, 'utf8')).toBe('first');
    await cli('workspace', 'restore', 'case-42', 'undo', '--json');
    expect(await readFile(file, 'utf8')).toBe('second');
    const listed = await cli('workspace', 'list', 'case-42', '--json');
    expect(JSON.parse(listed.stdout)).toMatchObject([{ id: '3', files: 1 }, { id: 'undo' }]);
  });

  it('works while dev runs, which has said where Temporal and the store are', async () => {
    const stateDir = join(project.folder, '.durascope');
    writeDevRecord(stateDir, {
      pid: process.pid,
      address: '127.0.0.1:1',
      namespace: 'default',
      store: `sqlite:${join(project.folder, 'store.db')}`,
      taskQueue: 'durascope',
      agents: ['coder', 'talker'],
    });
    try {
      expect((await cli('workspace', 'list', 'case-42')).stdout).toContain('BEFORE TURN');
    } finally {
      removeDevRecord(stateDir);
    }
  });

  it('says what can not be restored', async () => {
    const failures = await Promise.all([
      cli('workspace', 'restore', 'case-42'),
      cli('workspace', 'restore', 'case-42', '9'),
      cli('workspace', 'list', 'talk'),
      cli('workspace', 'list', 'none'),
    ]);
    expect(failures.map(({ code }) => code)).toEqual([2, 1, 1, 1]);
    const said = failures.map(({ stderr }) => stderr);
    expect(said[0]).toContain('name the snapshot to restore');
    expect(said[1]).toContain('there is no snapshot "9": there are 3');
    expect(said[2]).toContain('the agent talker has no workspace');
    expect(said[3]).toContain('has no session none');
  });
});
