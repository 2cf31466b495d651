// Workflow code: one run of a schedule. Imports contracts and @temporalio/workflow only.
import { setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { TurnReply } from '../contracts/child-turns.ts';
import { sessionOfRun, type ScheduledTurnInput } from '../contracts/schedules.ts';
import { runInSession } from './run-turn.ts';

/** Lasts as long as its turn does: so that the schedule's overlap policy is about turns. */
export async function scheduledTurn(input: ScheduledTurnInput): Promise<TurnReply> {
  const { workflowId } = workflowInfo();
  const ref = sessionOfRun(input, workflowId);
  setCurrentDetails(`a turn of session \`${ref.sessionId}\``);
  return runInSession({
    ref,
    agent: input.agent,
    inputId: workflowId,
    content: input.input,
    permissionMode: input.permissionMode,
  });
}
