import { randomUUID } from 'node:crypto';
import { eventsOf, runsOf, timeOf } from './history.ts';
import type { Stage } from './stage.ts';

/** By the clock of this machine, which is the server's too, in milliseconds. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

/** When a worker began with the last activity of this type. */
export async function startOf(stage: Stage, workflowId: string, activity: string): Promise<number> {
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
  return timeOf(started);
}

/** How long bare Temporal takes from a signal to the start of the activity that waited for it. */
export async function signalToActivity(stage: Stage): Promise<number> {
  const workflowId = `floor-gate/${randomUUID()}`;
  const taskQueue = await stage.floorQueue();
  const handle = await stage.temporal.workflow.start('bareGate', { workflowId, taskQueue });
  // It answers once it waits, as a gate or an idle session is there once it can be reached.
  await handle.query('__stack_trace');
  const begin = now();
  await handle.signal('go');
  await handle.result();
  return (await startOf(stage, workflowId, 'tool')) - begin;
}
