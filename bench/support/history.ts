import type { Client, WorkflowHandle } from '@temporalio/client';

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
type HistoryEvent = NonNullable<History['events']>[number];

/** One run of a workflow's chain. */
export interface Run {
  history: History;
  events: HistoryEvent[];
  /** As the server counts it. */
  bytes: number;
}

/** All runs of a workflow that has ended, first to last. */
export async function runsOf(client: Client, workflowId: string): Promise<Run[]> {
  const { raw } = await client.workflow.getHandle(workflowId).describe();
  const runs: Run[] = [];
  let runId = raw.workflowExecutionInfo?.firstRunId;
  while (runId) {
    const handle = client.workflow.getHandle(workflowId, runId);
    const [history, { historySize }] = [await handle.fetchHistory(), await handle.describe()];
    const events = history.events ?? [];
    runs.push({ history, events, bytes: historySize ?? 0 });
    runId = events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
  }
  return runs;
}

export function bytesOf(runs: readonly Run[]): number {
  return runs.reduce((sum, { bytes }) => sum + bytes, 0);
}

export function eventsOf(runs: readonly Run[]): HistoryEvent[] {
  return runs.flatMap(({ events }) => events);
}

/** From the start of a workflow's first run to the end of its last, by the server's clock, in milliseconds. */
export async function durationOf(client: Client, workflowId: string): Promise<number> {
  const last = await client.workflow.getHandle(workflowId).describe();
  const firstRunId = last.raw.workflowExecutionInfo?.firstRunId ?? last.runId;
  const first = await client.workflow.getHandle(workflowId, firstRunId).describe();
  if (!last.closeTime) throw new Error(`${workflowId} has not ended`);
  return last.closeTime.getTime() - first.startTime.getTime();
}

/** When each activity of this type was scheduled. */
export function scheduleTimes(runs: readonly Run[], activity: string): number[] {
  return eventsOf(runs)
    .filter((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === activity)
    .map(timeOf);
}

/** How long each activity of this type took, from its scheduling to its completion. */
export function activityTimes(runs: readonly Run[], activity: string): number[] {
  return runs.flatMap(({ events }) => {
    const scheduled = new Map(
      events
        .filter((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === activity)
        .map((event) => [String(event.eventId), timeOf(event)]),
    );
    return events.flatMap((event) => {
      const begin = scheduled.get(String(event.activityTaskCompletedEventAttributes?.scheduledEventId));
      return begin === undefined ? [] : [timeOf(event) - begin];
    });
  });
}

/** By the server's clock, in milliseconds. */
export function timeOf({ eventTime }: HistoryEvent): number {
  return Number(eventTime?.seconds ?? 0) * 1000 + (eventTime?.nanos ?? 0) / 1e6;
}
