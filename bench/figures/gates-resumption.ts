import type { Row } from '../support/figure.ts';
import { eventsOf, runsOf } from '../support/history.ts';
import type { Stage } from '../support/stage.ts';
import { compare, interleaved } from '../support/statistics.ts';
import { turnScript } from '../support/turn-script.ts';

/** From the moment at which somebody answers to the start of the first activity after it, as users and as bare Temporal do it. */
export async function resumption(stage: Stage): Promise<Row> {
  const session = await stage.session('gates-resumption');
  const floorQueue = await stage.floorQueue();
  let rounds = 0;

  const ours = async (): Promise<number> => {
    const turn = await session.submit(JSON.stringify(turnScript({ steps: 1, bytes: 32, tool: 'approve' })));
    const callId = (await turn.result()).pending[0]?.callId ?? '';
    const begin = now();
    await session.confirm([{ callId, decision: 'allow' }]);
    await turn.result({ until: 'end' });
    return (await startOf(stage, turn.id, 'runTools')) - begin;
  };
  const floor = async (): Promise<number> => {
    rounds += 1;
    const workflowId = `floor-gate/${rounds}`;
    const handle = await stage.temporal.workflow.start('bareGate', { workflowId, taskQueue: floorQueue });
    // It answers once it waits, as a turn's gate is there once it can be answered.
    await handle.query('__stack_trace');
    const begin = now();
    await handle.signal('go');
    await handle.result();
    return (await startOf(stage, workflowId, 'tool')) - begin;
  };

  const contenders = { ours, floor };
  for (const contender of Object.values(contenders)) await contender();
  const times = await interleaved(stage.isQuick ? 2 : 40, contenders);
  return {
    figure: 'confirmation to the first activity of the resumed call',
    unit: 'ms',
    ...compare(times.ours, { name: 'signal to activity', values: times.floor }),
    target: { atMost: 3 },
  };
}

/** By the clock of this machine, which is the server's too. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

/** When a worker began with the last activity of this type. */
async function startOf(stage: Stage, workflowId: string, activity: string): Promise<number> {
  const events = eventsOf(await runsOf(stage.temporal, workflowId));
  const scheduled = events.findLast(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === activity,
  );
  const started = events.find(
    (event) =>
      scheduled !== undefined &&
      String(event.activityTaskStartedEventAttributes?.scheduledEventId) === String(scheduled.eventId),
  );
  if (!started) throw new Error(`${workflowId} began no ${activity}`);
  return Number(started.eventTime?.seconds ?? 0) * 1000 + (started.eventTime?.nanos ?? 0) / 1e6;
}
