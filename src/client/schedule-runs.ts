import { ActivityFailure, CancelledFailure } from '@temporalio/common';
import { WorkflowFailedError, type ScheduleExecutionResult } from '@temporalio/client';
import { sessionOfRun } from '../contracts/schedules.ts';
import { callTemporal } from './call-temporal.ts';
import { isNotFound } from '../inbox/temporal-failures.ts';
import type { ScheduleRun } from './schedules.ts';
import type { ClientContext } from './temporal-client.ts';

/** A run of a schedule, with what it came to. */
export async function toRun(
  context: ClientContext,
  turn: Parameters<typeof sessionOfRun>[0],
  { takenAt, action }: ScheduleExecutionResult,
): Promise<ScheduleRun> {
  const { workflowId, firstExecutionRunId: runId } = action.workflow;
  return {
    at: takenAt.toISOString(),
    sessionId: sessionOfRun(turn, workflowId).sessionId,
    workflowId,
    runId,
    ...(await outcomeOf(context, workflowId, runId)),
  };
}

async function outcomeOf(
  context: ClientContext,
  workflowId: string,
  runId: string,
): Promise<Pick<ScheduleRun, 'state' | 'error'>> {
  const handle = context.temporal.workflow.getHandle(workflowId, runId);
  try {
    const { status } = await callTemporal(context, () => handle.describe());
    if (status.name === 'RUNNING') return { state: 'running' };
    if (status.name !== 'COMPLETED') await handle.result();
    return { state: 'done' };
  } catch (error) {
    if (isNotFound(error)) return { state: 'unknown' };
    if (!(error instanceof WorkflowFailedError)) throw error;
    if (error.cause instanceof CancelledFailure) return { state: 'cancelled' };
    return { state: 'failed', error: whyFailed(error) };
  }
}

/** An activity that failed says less than what it failed of. */
function whyFailed({ message, cause }: WorkflowFailedError): string {
  if (cause instanceof ActivityFailure) return cause.cause?.message ?? cause.message;
  return cause?.message ?? message;
}
