import { userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderSchedule } from '../../src/cli/schedule.ts';
import type { Schedule } from '../../src/client/index.ts';
import { startCliStack, type CliStack } from './cli-stack.ts';

let stack: CliStack;
beforeAll(async () => {
  stack = await startCliStack();
});
afterAll(() => stack.stop());

describe('durascope pipeline', () => {
  it('starts one from a file, and shows what it came to', async () => {
    stack.model.says('Whales sing.');
    await stack.project.write('flow.json', JSON.stringify({ kind: 'turn', agent: 'support' }));
    const cli = (line: string) => stack.cli('pipeline', ...line.split(' '));
    const started = await cli('start whales --flow flow.json --input Whales');
    expect(started).toMatchObject({ code: 0, stdout: 'whales: started\n' });
    let shown = '';
    while (!shown.includes(' · done')) shown = (await cli('show whales')).stdout;
    expect(shown).toBe('whales · done · turns: 1 done\n\nWhales sing.\n');
  });
});

describe('durascope schedule', () => {
  it('creates one, shows, runs, pauses and deletes it', async () => {
    stack.model.says('All quiet.');
    const cli = (line: string) => stack.cli('schedule', ...line.split(' '));
    const created = await cli('create morning --agent support --input Report --every 6h --session reports');
    expect(created.stdout).toContain('morning · support · every 21600 s\n');
    expect(created.stdout).toContain('session   reports · mode dont_ask');
    expect((await cli('trigger morning')).stdout).toBe('morning: runs now, by its overlap policy\n');
    const following = stack.live(['show', 'reports', '--follow']);
    await following.waitFor('All quiet.');
    following.kill('SIGINT');
    await following.finished;
    expect((await cli('pause morning --note holidays')).code).toBe(0);
    expect(JSON.parse((await cli('show morning --json')).stdout)).toMatchObject({
      isPaused: true,
      note: 'holidays',
      actor: userInfo().username,
      recentRuns: [{ sessionId: 'reports' }],
    });
    expect((await cli('delete morning')).stdout).toBe('morning: deleted; its sessions stay\n');
  });

  it('says which runs failed, and why', () => {
    const schedule: Schedule = {
      owner: 'acme',
      id: 'morning',
      agent: 'nobody',
      input: 'Report',
      isPaused: false,
      nextRuns: [],
      permissionMode: 'dont_ask',
      overlap: 'skip',
      catchUpMs: 10_000,
      recentRuns: [],
      counts: { runs: 1, leftOutByOverlap: 0, leftOutAsMissed: 0 },
    };
    const run = { at: '2026-12-01T08:00:00.000Z', sessionId: 's', workflowId: 'w', runId: 'r' };
    const error = 'There is no\nagent';
    const lines = renderSchedule({ ...schedule, recentRuns: [{ ...run, state: 'failed', error }] });
    expect(lines.at(-1)).toBe('  ran       2026-12-01T08:00:00.000Z in s: failed, There is no agent');
  });

  it('says what is missing', async () => {
    expect((await stack.cli('schedule', 'pause')).stderr).toContain('name the schedule');
    const withoutTime = await stack.cli('schedule', 'create', 'x', '--agent', 'support', '--input', 'Go');
    expect(withoutTime).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cron: write cron') as string,
    });
    const unknown = await stack.cli('schedule', 'trigger', 'none', '--json');
    expect(JSON.parse(unknown.stderr)).toMatchObject({ error: { code: 'not_found' } });
  });
});
