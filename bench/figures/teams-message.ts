import { randomUUID } from 'node:crypto';
import { deliver } from '../../src/inbox/deliver.ts';
import type { Row } from '../support/figure.ts';
import { eventsOf, runsOf } from '../support/history.ts';
import type { Stage } from '../support/stage.ts';
import { compare, interleaved } from '../support/statistics.ts';
import { turnScript } from '../support/turn-script.ts';

/** From the moment at which a message is sent to the start of the next model call of the session that it is for. */
export async function messageToModel(stage: Stage): Promise<Row> {
  const session = await stage.session(stage.newName());
  const floorQueue = await stage.floorQueue();
  const courier = { temporal: stage.temporal, store: stage.content.store, taskQueue: stage.oursQueue };
  const ref = { owner: session.owner, sessionId: session.id };
  await (await session.submit(JSON.stringify(turnScript({ steps: 0 })))).result();

  const ours = async (): Promise<number> => {
    const turn = session.turn(((await session.get())?.lastTurn ?? 0) + 1);
    const message = { id: randomUUID(), kind: 'team' as const, from: { name: 'bench' }, text: 'Hello.' };
    const begin = now();
    await deliver(courier, { owner: ref.owner, to: ref, message });
    await turn.result();
    return (await startOf(stage, turn.id, 'callModel')) - begin;
  };
  const floor = async (): Promise<number> => {
    const workflowId = `floor-message/${randomUUID()}`;
    const handle = await stage.temporal.workflow.start('bareGate', { workflowId, taskQueue: floorQueue });
    // It answers once it waits, as an idle session does.
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
    figure: 'message to the next model call of an idle session',
    unit: 'ms',
    ...compare(times.ours, { name: 'signal to activity', values: times.floor }),
    target: { atMost: 2 },
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
