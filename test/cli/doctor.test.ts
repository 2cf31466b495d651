import pc from 'picocolors';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Check } from '../../src/cli/check.ts';
import { checkNode, renderChecks } from '../../src/cli/doctor.ts';
import { ScriptedModel } from '../../src/testing/index.ts';
import { DatabaseSync } from '../../src/store/node-sqlite.ts';
import { openStore } from '../../src/store/open-store.ts';
import { sharedTemporal } from '../support/temporal.ts';
import { runCli, startCli } from './cli-process.ts';
import { aConfig, aProject, type Project } from './project.ts';

let project: Project;
let model: ScriptedModel;
beforeEach(async () => {
  project = await aProject();
  model = await ScriptedModel.start({ models: ['gpt-test'] });
});
afterEach(async () => {
  await model.stop();
  await project.remove();
});

const healthy = () => ({
  TEMPORAL_ADDRESS: sharedTemporal().address,
  OPENAI_BASE_URL: model.baseUrl,
  OPENAI_API_KEY: 'sk-not-to-be-shown',
});

interface Report {
  code: number | null;
  ok: boolean;
  of: (name: string) => Check | undefined;
}

async function doctor(env: Record<string, string>, ...args: string[]): Promise<Report> {
  const { code, stdout, stderr } = await runCli(['doctor', '--json', ...args], { cwd: project.folder, env });
  expect(stdout + stderr).not.toContain('sk-not');
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Check[] };
  return { code, ok, of: (wanted) => checks.find(({ name }) => name === wanted) };
}

describe('durascope doctor', () => {
  it('finds nothing where all is there, a worker too', async () => {
    const env = healthy();
    const taskQueue = `doctor-${project.folder.split('-').at(-1)}`;
    const worker = startCli(['worker', '--task-queue', taskQueue], { cwd: project.folder, env });
    await worker.waitFor('worker runs');
    const { code, stdout } = await runCli(['doctor', '--task-queue', taskQueue], {
      cwd: project.folder,
      env,
    });
    worker.kill('SIGKILL');
    expect(stdout.split('\n').filter((line) => !line.startsWith('ok'))).toEqual(['']);
    expect(stdout).toContain('agents support');
    expect(stdout).toContain('knows gpt-test');
    expect(code).toBe(0);
    await worker.finished;
  });

  it('warns of no worker, and of no server, and does not fail for it', async () => {
    const alone = await doctor({ ...healthy(), TEMPORAL_ADDRESS: '' });
    expect(alone.of('temporal')).toMatchObject({
      status: 'warn',
      fix: expect.stringContaining('durascope dev') as string,
    });
    const idle = await doctor(healthy(), '--task-queue', 'nobody-polls-it');
    expect(idle.of('worker')).toMatchObject({ status: 'warn' });
    expect([alone.code, idle.code]).toEqual([0, 0]);
  });

  it('fails for a server that is not there, and a namespace that is not', async () => {
    const [away, wrong] = await Promise.all([
      doctor({ ...healthy(), TEMPORAL_ADDRESS: '127.0.0.1:1' }),
      doctor({ ...healthy(), TEMPORAL_NAMESPACE: 'nope' }),
    ]);
    expect(away.of('temporal')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('127.0.0.1:1') as string,
    });
    expect(wrong.of('temporal')?.status).toBe('ok');
    expect(wrong.of('namespace')).toMatchObject({
      status: 'fail',
      fix: expect.stringContaining('create -n nope') as string,
    });
    expect([away.code, wrong.code]).toEqual([1, 1]);
  });

  it('fails for a store of no known kind, one that does not answer, and one of a newer durascope', async () => {
    await (await openStore(`sqlite:${project.folder}/new.db`)).close();
    const database = new DatabaseSync(`${project.folder}/new.db`);
    database.exec("insert into durascope_migrations (name, at) values ('9999_later', '')");
    database.close();
    const [unknown, away, newer] = await Promise.all([
      doctor({ ...healthy(), DURASCOPE_STORE: 'mysql://x' }),
      doctor({ ...healthy(), DURASCOPE_STORE: 'postgres://u:sk-not@127.0.0.1:1/x' }),
      doctor({ ...healthy(), DURASCOPE_STORE: 'sqlite:new.db' }),
    ]);
    expect(unknown.of('store')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('mysql://x') as string,
    });
    expect(away.of('store')?.status).toBe('fail');
    expect(newer.of('store')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('newer durascope') as string,
    });
  });

  it('fails for a model endpoint that is away, refuses the key, has none, or is not set', async () => {
    await project.write('durascope.config.ts', aConfig('models: { other: {} }'));
    const provider = 'model endpoint openai';
    const [away, keyless] = await Promise.all([
      doctor({ ...healthy(), OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' }),
      doctor({ TEMPORAL_ADDRESS: sharedTemporal().address }),
    ]);
    expect(away.of(provider)).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('127.0.0.1:1') as string,
    });
    expect(keyless.of(provider)).toMatchObject({ status: 'fail', fix: 'set OPENAI_API_KEY' });
    const unlisted = await ScriptedModel.start({ models: ['another'] });
    expect((await doctor({ ...healthy(), OPENAI_BASE_URL: unlisted.baseUrl })).of(provider)).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('does not list gpt-test') as string,
    });
    await unlisted.stop();
  });

  it('fails for a config that is broken or not there, and examines the rest all the same', async () => {
    await project.write('agents/support.ts', 'export const support = {};');
    const broken = await doctor(healthy());
    expect(broken.of('config')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('agents[0]') as string,
    });
    expect(broken.of('temporal')?.status).toBe('ok');
    const { code, stdout } = await runCli(['doctor'], { cwd: '/tmp', env: healthy() });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^fail config: There is no durascope\.config\.ts/m);
  });
});

describe('checkNode', () => {
  it.each([
    ['22.13.0', 'ok'],
    ['24.0.0', 'ok'],
    ['22.12.1', 'fail'],
    ['20.20.2', 'fail'],
  ])('%s: %s', (version, status) => expect(checkNode(version).status).toBe(status));
});

describe('renderChecks', () => {
  it('shows a line for each, and below it what to do', () => {
    const style = { colors: pc.createColors(false), width: 80 };
    expect(
      renderChecks(
        [
          { name: 'node', status: 'ok', message: '24.9.0' },
          { name: 'store', status: 'fail', message: 'gone', fix: 'bring it back' },
        ],
        style,
      ),
    ).toEqual(['ok   node: 24.9.0', 'fail store: gone', '     → bring it back']);
  });
});
