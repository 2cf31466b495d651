import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScriptedModel } from '../../src/testing/index.ts';
import { superviseWorker, type DevReport } from '../../src/cli/dev-supervisor.ts';
import { SourceWatcher } from '../../src/cli/source-watcher.ts';
import type { Loaded } from '../../src/cli/worker-messages.ts';
import { WorkerFailure, type WorkerProcess } from '../../src/cli/worker-process.ts';
import { childrenOf, commandOf, isAlive, runCli, startCli, type RunningCli } from './cli-process.ts';
import { anAgent, aProject, type Project } from './project.ts';

let project: Project;
let model: ScriptedModel;
let dev: RunningCli | undefined;
beforeEach(async () => {
  project = await aProject();
  model = await ScriptedModel.start({ models: ['gpt-test'] });
});
afterEach(async () => {
  dev?.kill('SIGKILL');
  await dev?.finished;
  dev = undefined;
  await model.stop();
  await project.remove();
});

const options = () => ({
  cwd: project.folder,
  env: { OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: 'sk-test' },
});
const startDev = (...more: string[]): RunningCli =>
  (dev = startCli(
    ['dev', '--port', '0', '--temporal-port', '0', '--temporal-ui-port', '0', ...more],
    options(),
  ));
const run = (...args: string[]) => runCli(['run', 'support', ...args], options());

describe('durascope dev', () => {
  it('is found by run, takes in an edited agent file, and ends all that it started', async () => {
    const dev = startDev();
    const address = await dev.waitFor(/Temporal +(\S+:\d+)/);
    await dev.waitFor(/Temporal Web +http:\/\/\S+:\d+/);
    const api = await dev.waitFor(/API +(http:\S+)/);
    const agents = await fetch(`${api}/v1/agents`);
    expect(await agents.json()).toMatchObject({ items: [{ name: 'support' }] });
    await dev.waitFor('durascope run support');
    const children = childrenOf(dev);
    expect(children).toHaveLength(2);

    model.says('Hello.').says('Bonjour.');
    expect(await run('Hi', '--session', 's')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Hello\.\n/) as string,
    });
    expect(model.requests[0]?.system).toBe('Be brief.');

    expect(await runCli(['run', 'suport', 'Hi', '--session', 'dead'], options())).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /has no agent "suport": it runs support\. Did you mean support\?/,
      ) as string,
    });
    expect((await runCli(['show', 'dead'], options())).stderr).toContain('no session dead');

    await project.write('agents/support.ts', anAgent('Speak French.'));
    await dev.waitFor('worker restarted: support');
    expect(await run('Hi', '--session', 's')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Bonjour\.\n/) as string,
    });
    expect(model.requests[1]?.system).toBe('Speak French.');

    const second = await runCli(['dev'], options());
    expect(second).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`Temporal at ${address}`) as string,
    });

    const all = [...new Set([...children, ...childrenOf(dev)])];
    dev.kill('SIGTERM');
    expect((await dev.finished).code).toBe(0);
    expect(all.filter(isAlive)).toEqual([]);
    expect(existsSync(join(project.folder, '.durascope/dev.json'))).toBe(false);
  });

  it('shows what is wrong with an edit, serves on with what it had, and takes the next edit', async () => {
    const dev = startDev();
    await dev.waitFor('ready');
    await project.write('agents/support.ts', anAgent().replace("name: 'support'", "nmae: 'support'"));
    await dev.waitFor('Invalid agent: name');
    await dev.waitFor('goes on with what it loaded before');
    model.says('Still here.').says('Mended.');
    expect((await run('Hi')).code).toBe(0);
    await project.write('agents/support.ts', anAgent());
    await dev.waitFor('worker restarted');
    expect((await run('Hi')).code).toBe(0);
  });

  it('waits for a config that is broken from the start', async () => {
    await project.write('agents/support.ts', 'export const support = (');
    const dev = startDev();
    await dev.waitFor('Waiting for the next change');
    await project.write('agents/support.ts', anAgent());
    await dev.waitFor('ready');
  });

  it('puts another worker in the place of one that crashes, and loses no turn', async () => {
    const dev = startDev('--json');
    await dev.waitFor('"kind":"ready"');
    model.hangs({ before: 'firstToken' }).says('After all.');
    const turn = startCli(['run', 'support', 'Hi'], options());
    await model.waitForRequest();
    const [worker] = childrenOf(dev).filter((pid) => commandOf(pid).includes('worker-child'));
    process.kill(worker ?? 0, 'SIGKILL');
    await dev.waitFor('"kind":"crashed","how":"by SIGKILL"');
    await dev.waitFor('"kind":"ready"');
    const { code, stdout } = await turn.finished;
    expect(stdout).toContain('After all.');
    expect(code).toBe(0);
  });

  it('starts another worker when one is killed while it loads', async () => {
    const reports: DevReport['kind'][] = [];
    const stopping = new AbortController();
    const watcher = new SourceWatcher();
    const killed = new WorkerFailure('worker_ended', 'The worker process ended by SIGKILL', []);
    const loads = [() => Promise.reject(killed), async () => ({ files: [] }) as unknown as Loaded];
    await superviseWorker({
      flags: {},
      spawn: (): WorkerProcess => ({
        pid: 1,
        ended: new Promise(() => {}),
        load: loads.shift() ?? (() => Promise.reject(killed)),
        start: async () => {},
        stop: async () => {},
      }),
      watcher,
      temporal: async () => undefined,
      signal: stopping.signal,
      report({ kind }) {
        reports.push(kind);
        if (kind === 'ready') stopping.abort();
      },
    });
    watcher.close();
    expect(reports).toEqual(['not_started', 'ready']);
  });

  it('keeps sessions from one start to the next', async () => {
    const first = startDev();
    await first.waitFor('ready');
    model.calls('refund', { orderId: '1' });
    const { stderr } = await run('Refund 1');
    const [, callId = ''] = /durascope confirm (\S+)/.exec(stderr) ?? [];
    first.kill('SIGINT');
    expect((await first.finished).code).toBe(0);

    await startDev().waitFor('ready');
    model.says('Refunded.');
    expect((await runCli(['confirm', callId], options())).code).toBe(0);
    await model.waitForRequest(2);
    expect(model.requests[1]?.messages.at(-1)?.text).toBe('refunded 1');
  });
});

describe('durascope dev that fails', () => {
  it('says which file is in the place of its state, and ends with 1', async () => {
    await project.write('.durascope', '');
    const { code, stdout, stderr } = await startDev().finished;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^error \S+\/\.durascope is to keep the state [^\n]+: move what is there[^\n]+\n$/,
    );
  });

  it('ends all that it started, even when a step of the clean-up fails', async () => {
    const dev = startDev();
    await dev.waitFor('ready');
    const children = childrenOf(dev);
    const record = join(project.folder, '.durascope/dev.json');
    await rm(record);
    await mkdir(record);
    dev.kill('SIGTERM');
    const { code, stderr } = await dev.finished;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error .*dev\.json/m);
    expect(children.filter(isAlive)).toEqual([]);
  });
});

describe('durascope run without a server', () => {
  it('starts one for itself, ends it, and keeps what was said', async () => {
    model.says('Hello.').says('Again.');
    expect(await run('Hi', '--session', 's')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Hello\.\n/) as string,
    });
    expect((await run('Hi again', '--session', 's')).code).toBe(0);
    expect(model.requests[1]?.messages.map(({ text }) => text)).toEqual(['Hi', 'Hello.', 'Hi again']);
  });

  it('names the agents when it does not know the one asked for', async () => {
    const { code, stderr } = await runCli(['run', 'suport', 'Hi'], options());
    expect(code).toBe(1);
    expect(stderr).toContain('Did you mean support?');
  });
});
