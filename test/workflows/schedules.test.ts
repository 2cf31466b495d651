import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defineAgent } from '../../src/agents/define-agent.ts';
import type { Schedule, ScheduleOptions, ScheduleSummary } from '../../src/client/index.ts';
import { scheduleId } from '../../src/contracts/schedules.ts';
import { says } from '../../src/testing/index.ts';
import { pay } from '../support/pay-tool.ts';
import { startStack, type Stack } from '../support/stack.ts';

const agent = defineAgent({
  name: 'reporter',
  model: 'openai/gpt-test',
  instructions: 'Be brief.',
  tools: [pay],
});

let stack: Stack;
let temporal: Client;
let owner: string;
beforeAll(async () => {
  stack = await startStack({ agents: [agent] });
  temporal = new Client({ connection: stack.connection });
});
beforeEach(() => {
  owner = `owner-${randomUUID().slice(0, 8)}`;
});
afterAll(() => stack.stop());

function create(options: Partial<ScheduleOptions> = {}): Promise<Schedule> {
  return stack.client.schedules.create({
    owner,
    id: 'daily',
    agent: agent.name,
    input: 'Report',
    cron: '0 8 * * 1-5',
    ...options,
  });
}

/** The schedule once its nth run has begun, with the outcome of that run. */
async function nthRun(n: number) {
  for (;;) {
    const schedule = await stack.client.schedules.get(owner, 'daily');
    const run = schedule?.recentRuns[n - 1];
    if (run) {
      const handle = temporal.workflow.getHandle(run.workflowId, run.runId);
      return { ...run, outcome: await handle.result().catch(failureOf) };
    }
    await pause();
  }
}

const failureOf = (error: Error) => String((error.cause as Error).cause ?? error.cause);
const pause = () => new Promise((resolve) => setTimeout(resolve, 50));
const list = async () => {
  const all: ScheduleSummary[] = [];
  for await (const one of stack.client.schedules.list(owner)) all.push(one);
  return all;
};

describe('a schedule', () => {
  it('runs a turn in a session of its own, and what would be asked is denied', async () => {
    stack.model.calls('pay', {}).says('Nothing paid.').says('Second report.');
    await create();
    await stack.client.schedules.trigger(owner, 'daily');
    const first = await nthRun(1);
    expect(first).toMatchObject({ outcome: { text: 'Nothing paid.' } });
    expect(first.sessionId).toMatch(/^daily\.\d{4}-\d\d-\d\dT/);
    const session = stack.client.session({ owner, id: first.sessionId });
    expect((await session.get())?.permissions.mode).toBe('dont_ask');
    expect((await session.audit()).items).toMatchObject([{ behavior: 'deny', by: 'mode' }]);
    // People may go on where it ended.
    expect((await (await session.submit('And now?')).result()).text).toBe('Second report.');
  });

  it('speaks in one session each time, where it has one', async () => {
    stack.model.says('One.').says('Two.');
    await create({ session: 'reports', permissionMode: 'default' });
    await stack.client.schedules.trigger(owner, 'daily');
    await nthRun(1);
    await stack.client.schedules.trigger(owner, 'daily');
    expect(await nthRun(2)).toMatchObject({ sessionId: 'reports', outcome: { text: 'Two.' } });
    expect(stack.model.requests.at(-1)?.messages.map(({ text }) => text)).toEqual([
      'Report',
      'One.',
      'Report',
    ]);
    expect((await stack.client.session({ owner, id: 'reports' }).get())?.permissions.mode).toBe('default');
  });

  it('speaks again in a run that has the id of another, as those of one second do', async () => {
    stack.model.says('One.').says('Two.');
    const run = async (): Promise<unknown> =>
      temporal.workflow.execute('scheduledTurn', {
        workflowId: `scheduled/${owner}/daily-2026-11-30T08:00:00Z`,
        taskQueue: stack.taskQueue,
        args: [{ owner, schedule: 'daily', agent: agent.name, input: 'Report', permissionMode: 'dont_ask' }],
      });
    expect([await run(), await run()]).toMatchObject([{ text: 'One.' }, { text: 'Two.' }]);
  });

  it('leaves a run out while the turn of the last one has not ended', async () => {
    stack.model.hangs({ before: 'headers' });
    await create();
    const before = stack.model.requests.length;
    await stack.client.schedules.trigger(owner, 'daily');
    await stack.model.waitForRequest(before + 1);
    await stack.client.schedules.trigger(owner, 'daily');
    let schedule = await stack.client.schedules.get(owner, 'daily');
    // Temporal may count what is left out before it tells of the run that began.
    while (!schedule?.counts.leftOutByOverlap || schedule.recentRuns.length === 0) {
      await pause();
      schedule = await stack.client.schedules.get(owner, 'daily');
    }
    expect(schedule.recentRuns).toMatchObject([{ state: 'running' }]);
    await stack.client.session({ owner, id: schedule.recentRuns[0]?.sessionId ?? '' }).interrupt();
    expect((await nthRun(1)).outcome).toContain('ended without an answer: interrupted');
  });

  it('interrupts the turn of the last run, where it is to cancel that', async () => {
    stack.model.hangs({ before: 'headers' }).says('Anew.');
    await create({ session: 'reports', overlap: 'cancel_other' });
    const before = stack.model.requests.length;
    await stack.client.schedules.trigger(owner, 'daily');
    await stack.model.waitForRequest(before + 1);
    await stack.client.schedules.trigger(owner, 'daily');
    expect(await nthRun(2)).toMatchObject({ outcome: { text: 'Anew.' } });
    const { items } = await stack.client.session({ owner, id: 'reports' }).turns();
    expect(items.map(({ finishReason }) => finishReason)).toEqual(['model_stop', 'interrupted']);
  });

  it('runs by itself, as often as it may', async () => {
    stack.model.answers(() => says('Tick.'));
    await create({ cron: undefined as never, everyMs: 1000, maxRuns: 1, session: 'ticks' });
    expect(await nthRun(1)).toMatchObject({ outcome: { text: 'Tick.' } });
    expect((await stack.client.schedules.get(owner, 'daily'))?.counts.runs).toBe(1);
  });

  it('is paused, goes on, is listed with its owner’s, and deleted', async () => {
    await create({ timezone: 'Europe/Paris', overlap: 'buffer_one', catchUpMs: 60_000 });
    await create({ id: 'hourly', everyMs: 3_600_000, isPaused: true, note: 'not yet' });
    while ((await list()).length < 2) await pause();
    const other = await stack.client.schedules.create({
      owner: `${owner}2`,
      id: 'x',
      agent: 'a',
      input: 'b',
      everyMs: 1e7,
    });
    expect(other.agent).toBe('a');
    expect((await list()).map(({ id }) => id).toSorted()).toEqual(['daily', 'hourly']);

    await stack.client.schedules.pause(owner, 'daily', 'holidays');
    expect(await stack.client.schedules.get(owner, 'daily')).toMatchObject({
      isPaused: true,
      note: 'holidays',
      nextRuns: [],
      cron: ['0 8 * * 1-5'],
      timezone: 'Europe/Paris',
      overlap: 'buffer_one',
      catchUpMs: 60_000,
      permissionMode: 'dont_ask',
    });
    await stack.client.schedules.unpause(owner, 'daily');
    expect((await stack.client.schedules.get(owner, 'daily'))?.nextRuns.length).toBeGreaterThan(0);
    const raw = await temporal.schedule.getHandle(scheduleId({ owner, id: 'daily' })).describe();
    expect(raw.policies).toMatchObject({ overlap: 'BUFFER_ONE', catchupWindow: 60_000 });

    await stack.client.schedules.delete(owner, 'daily');
    expect(await stack.client.schedules.get(owner, 'daily')).toBeUndefined();
    await expect(stack.client.schedules.trigger(owner, 'daily')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('says of a run whose agent no worker knows which agents there are', async () => {
    await create({ agent: 'nobody' });
    await stack.client.schedules.trigger(owner, 'daily');
    expect((await nthRun(1)).outcome).toMatch(/There is no agent "nobody".*reporter/);
    const failed = { state: 'failed', error: expect.stringContaining('no agent "nobody"') as string };
    expect(await stack.client.schedules.get(owner, 'daily')).toMatchObject({ recentRuns: [failed] });
    // What is listed comes a little later.
    while (!(await list())[0]?.lastRun) await pause();
    expect(await list()).toMatchObject([{ lastRun: failed }]);
  });

  it('is refused with the field and the remedy', async () => {
    const refused = async (options: object, words: string) =>
      expect(create(options)).rejects.toMatchObject({
        code: 'invalid_input',
        message: expect.stringContaining(words) as string,
      });
    await refused({ cron: undefined }, 'cron: write cron');
    await refused({ cron: 'at eight' }, 'cron: write five fields');
    await refused({ cron: ['@daily', 'daily'] }, 'cron.1: write five fields');
    await refused({ cron: '99 * * * *' }, 'Temporal does not take the schedule');
    await refused({ timezone: 'Mars/Olympus' }, 'Temporal does not take the schedule');
    await refused({ overlap: 'sometimes' }, 'overlap: write one of skip');
    await refused({ catchUpMs: 5 }, 'catchUpMs: write at least 10000');
    await refused({ id: 'a/b' }, 'id "a/b" is not valid');
    await refused({ every: 5 }, 'every');
    await create();
    await expect(create()).rejects.toMatchObject({ code: 'conflict' });
  });
});
