import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { decidePermission, type PermissionFacts, type PermissionRule } from '../../src/core/permission.ts';
import { matchesInput } from '../../src/core/permission-rule.ts';
import type { DurascopeClient, PendingCall, Turn } from '../../src/client/index.ts';
import type { Figure, Row } from '../support/figure.ts';
import type { Stage } from '../support/stage.ts';
import { compare, interleaved, median } from '../support/statistics.ts';
import { turnScript } from '../support/turn-script.ts';

/** What gates cost: to decide, to go on after an answer, and to wait. */
export const gates: Figure = {
  name: 'gates',
  async measure(stage) {
    return [decisions(stage), await resumption(stage), await waitingTurns(stage)];
  },
};

function decisions({ isQuick }: Stage): Row {
  const rules = Array.from({ length: 500 }, (_, n): PermissionRule => {
    const behavior = (['deny', 'ask', 'allow'] as const)[n % 3] ?? 'ask';
    return { tool: `tool_${n % 50}`, pattern: `orderId=${n}`, behavior };
  });
  const input = { orderId: 'none of them' };
  const facts: PermissionFacts = {
    toolName: 'tool_7',
    isReadOnly: false,
    matches: (pattern) => matchesInput(input, pattern),
  };
  const count = isQuick ? 100 : 20_000;
  const rates = Array.from({ length: 5 }, () => {
    const begin = performance.now();
    for (let done = 0; done < count; done += 1) decidePermission(facts, { mode: 'default', rules });
    return (1000 * count) / (performance.now() - begin);
  });
  return {
    figure: 'decisions of the engine under 500 rules for 50 tools, none of which matches',
    unit: 'decisions/s',
    measured: median(rates),
    target: { atLeast: 100_000 },
  };
}

/** From the answer's sending to the start of the activity that it lets run, by the server's clock on this machine. */
async function resumption(stage: Stage): Promise<Row> {
  const session = await stage.session(stage.newName());
  const ours = async () => {
    const turn = await session.submit(JSON.stringify(turnScript({ steps: 1, calls: 1, tool: 'approve' })));
    const [call] = (await turn.result()).pending;
    const begin = Date.now();
    await session.confirm([{ callId: call?.callId ?? '', decision: 'allow' }]);
    await turn.result({ until: 'end' });
    return (await startOf(stage.temporal.workflow.getHandle(turn.id), 'runTools')) - begin;
  };
  const floor = async () => {
    const handle = await stage.bareGate();
    while ((await handle.describe()).historyLength < 4) await delay(5);
    const begin = Date.now();
    await handle.signal('go');
    await handle.result();
    return (await startOf(handle, 'tool')) - begin;
  };
  await ours();
  await floor();
  const times = await interleaved(stage.isQuick ? 1 : 25, { ours, floor });
  return {
    figure: 'confirmation to the start of the call that it lets run',
    unit: 'ms',
    ...compare(times.ours, { name: 'bare signal to activity', values: times.floor }),
    target: { atMost: 3 },
  };
}

async function startOf(handle: WorkflowHandle, activity: string): Promise<number> {
  const events = (await handle.fetchHistory()).events ?? [];
  const scheduled = events.find(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === activity,
  );
  const started = events.find(
    (event) =>
      String(event.activityTaskStartedEventAttributes?.scheduledEventId) === String(scheduled?.eventId),
  );
  if (!started?.eventTime) throw new Error(`${handle.workflowId} started no ${activity}`);
  return Number(started.eventTime.seconds) * 1000 + (started.eventTime.nanos ?? 0) / 1e6;
}

/** What a worker holds of turns that wait, once its cache let them go; then all of them are answered at once. */
async function waitingTurns(stage: Stage): Promise<Row> {
  const count = stage.isQuick ? 10 : 500;
  const taskQueue = stage.newName();
  const worker = await stage.startWorker({ taskQueue, maxCachedWorkflows: 10 });
  const client = await stage.clientOf(taskQueue);
  // As many turns that don't wait come first: what a worker grows by in its youth is not what is asked.
  await submitAll(client, `${taskQueue}-warm`, count, 'lookup');
  const before = await worker.call<number>('memory');
  const turns = await submitAll(client, taskQueue, count, 'approve');
  const after = await worker.call<number>('memory');
  await Promise.all(
    turns.map(async ({ turn, pending: [call] }, place) => {
      const session = client.session({ owner: 'bench', id: `${taskQueue}-${place}`, agent: 'usual' });
      await session.confirm([{ callId: call?.callId ?? '', decision: 'allow' }]);
      const { finishReason } = await turn.result({ until: 'end' });
      if (finishReason !== 'model_stop') throw new Error(`${turn.id} ended as ${finishReason}`);
    }),
  );
  await worker.stop();
  return {
    figure: `growth of a worker by ${count} turns that wait at gates, all answered at once afterwards`,
    unit: 'MB',
    measured: after - before,
    target: { atMost: 20 },
  };
}

async function submitAll(
  client: DurascopeClient,
  prefix: string,
  count: number,
  tool: 'lookup' | 'approve',
): Promise<{ turn: Turn; pending: PendingCall[] }[]> {
  const turns: { turn: Turn; pending: PendingCall[] }[] = [];
  let next = 0;
  const submitter = async () => {
    while (next < count) {
      const place = next;
      next += 1;
      const session = client.session({ owner: 'bench', id: `${prefix}-${place}`, agent: 'usual' });
      const turn = await session.submit(JSON.stringify(turnScript({ steps: 1, calls: 1, bytes: 200, tool })));
      turns[place] = { turn, pending: (await turn.result()).pending };
    }
  };
  await Promise.all(Array.from({ length: 40 }, submitter));
  return turns;
}
