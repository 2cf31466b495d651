// Workflow code: one run of a schedule. Imports contracts and @temporalio/workflow only.
import { patched, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { TurnReply } from '../contracts/child-turns.ts';
import { sessionOfRun, type ScheduledTurnInput } from '../contracts/schedules.ts';
import { runInSession } from './run-turn.ts';
import { requestersOf } from './turn-content.ts';

/** Lasts as long as its turn does: so that the schedule's overlap policy is about turns. */
export async function scheduledTurn(input: ScheduledTurnInput): Promise<TurnReply> {
  const { workflowId, firstExecutionRunId } = workflowInfo();
  const ref = sessionOfRun(input, workflowId);
  setCurrentDetails(`a turn of session \`${ref.sessionId}\``);
  return runInSession({
    ref,
    agent: input.agent,
    // Temporal names a run after its second: two within one have the same workflow id.
    inputId: patched('input-of-run') ? `schedule-run/${firstExecutionRunId}` : workflowId,
    content: input.input,
    permissionMode: input.permissionMode,
    requesters: requestersOf(input.input, input.actor),
  });
}
