import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineAgent } from '../../src/agents/define-agent.ts';
import type { Session } from '../../src/client/index.ts';
import { openReminders } from '../../src/reminders/reminder-slot.ts';
import { findTestServer } from '../support/find-test-server.ts';
import { startStack, type RunningWorker, type Stack } from '../support/stack.ts';

const agent = defineAgent({
  name: 'patient',
  model: 'openai/gpt-test',
  instructions: 'Be brief.',
  reminders: true,
  permissions: { mode: 'explore' },
});

let stack: Stack;
let worker: RunningWorker;
beforeAll(async () => {
  stack = await startStack({ agents: [agent], sessionLingerMs: 1, isStarted: false });
  worker = await stack.startWorker();
});
afterAll(() => stack.stop());

const refOf = ({ owner, id }: Session) => ({ owner, sessionId: id });
const results = (n: number) =>
  stack.model.requests[n]?.messages.filter(({ role }) => role === 'tool').map(({ text }) => text) ?? [];

async function turnOf(session: Session, input: string): Promise<void> {
  await (await session.submit(input)).result();
}

describe('a reminder', () => {
  it('wakes its idle session with the words that it was set with, though its worker ended meanwhile', async () => {
    stack.model.calls('remind_me_at', { when: '1s', text: 'Look at <order> 7 again' }).says('Later.');
    stack.model.says('It has come.');
    const session = stack.session(agent, `s-${randomUUID()}`);
    await turnOf(session, 'Watch order 7');
    expect(results(1)[0]).toMatch(/^Reminder r1 is set for 20/);
    await worker.stop();
    worker = await stack.startWorker();
    await stack.model.waitForRequest(3);
    const woken = session.turn(2);
    expect(await woken.result()).toMatchObject({ text: 'It has come.' });
    expect(stack.model.requests[2]?.messages.at(-1)?.text).toBe(
      '<reminder from="you, earlier">\nLook at &lt;order&gt; 7 again\n</reminder>',
    );
    expect(await openReminders(stack.content.store, refOf(session))).toEqual([]);
  });

  it('is listed, and cancelled', async () => {
    const first = stack.model.requests.length;
    stack.model
      .calls('remind_me_at', { when: '3h', text: 'One' })
      .calls('remind_me_at', { when: '2030-01-01T08:00:00Z', text: 'Too far' })
      .calls('reminder_list', {})
      .calls('reminder_cancel', { id: 'r1' })
      .calls('reminder_cancel', { id: 'r1' })
      .calls('reminder_list', {})
      .says('Done.');
    const session = stack.session(agent, `s-${randomUUID()}`);
    await turnOf(session, 'Set and cancel');
    const told = results(first + 6);
    expect(told[1]).toContain('more than a year away');
    expect(told[2]).toMatch(/^r1 at 20.*: One$/);
    expect(told[3]).toBe('Reminder r1 is cancelled.');
    expect(told[4]).toContain('there is no reminder r1');
    expect(told[5]).toBe('No reminder is set.');
    const { workflow } = new Client({ connection: stack.connection });
    const found = workflow.list({
      query: `WorkflowId STARTS_WITH "reminder/${session.owner}/${session.id}/"`,
    });
    for await (const { status } of found) expect(['RUNNING', 'CANCELLED']).toContain(status.name);
  });
});

describe('a reminder that is days away', () => {
  it('comes once, and not before its time', async () => {
    const executable = { type: 'existing-path' as const, path: findTestServer() };
    const time = await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } });
    const { address } = time.connection.options;
    const patient = await startStack({ agents: [agent], address, sessionLingerMs: 1 });
    try {
      patient.model.calls('remind_me_at', { when: '3d', text: 'Look again' }).says('Later.').says('Seen.');
      const session = patient.session(agent);
      await turnOf(session, 'Watch');
      await time.sleep('2 days');
      expect((await session.turns()).items).toHaveLength(1);
      await time.sleep('2 days');
      await patient.model.waitForRequest(3);
      expect(await session.turn(2).result()).toMatchObject({ text: 'Seen.' });
      expect(patient.model.requests).toHaveLength(3);
    } finally {
      await patient.stop();
      await time.teardown();
    }
  });
});
