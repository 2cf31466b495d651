// Workflow code: what a session does as a leader and as a member of a team. Imports contracts and @temporalio/workflow only.
import {
  CancellationScope,
  condition,
  ParentClosePolicy,
  patched,
  setHandler,
  startChild,
} from '@temporalio/workflow';
import {
  ApplicationFailure,
  ChildWorkflowFailure,
  TerminatedFailure,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/common';
import { failure } from '../contracts/failures.ts';
import { sessionWorkflowId } from '../contracts/ids.ts';
import type { Requesters } from '../core/approval.ts';
import type { WorkerStart } from '../contracts/inputs.ts';
import { endUpdate, startWorkerUpdate } from '../contracts/messages.ts';
import { deliverMessage, store } from './activity-proxies.ts';
import { foundBy, sessionAttributes } from './child-attributes.ts';
import { readInterrupt } from './check-message.ts';
import type { SessionState } from './session-state.ts';

/** @param interrupt passes an interrupt on to the turn that runs. */
export function handleTeamMessages(
  session: SessionState,
  interrupt: (reason: string) => Promise<void>,
): void {
  setHandler(
    startWorkerUpdate,
    async (worker) => {
      await condition(() => session.isLoaded);
      await startWorker(session, worker);
    },
    { validator: (worker) => rejectStranger(session, worker) },
  );
  setHandler(endUpdate, async (message) => {
    await condition(() => session.isLoaded);
    session.end();
    if (session.runningTurnId !== undefined)
      await interrupt(readInterrupt(message).reason ?? 'the session was ended');
    await condition(() => !session.isBusy);
  });
}

function rejectStranger(session: SessionState, worker: WorkerStart): void {
  const { owner } = session.ref;
  if (worker?.ref?.owner !== owner)
    throw ApplicationFailure.nonRetryable(
      `a worker belongs to the owner of its leader, ${owner}`,
      failure.rejected,
    );
}

/** A worker outlives the leader's run: it is told to end, and reports by messages. */
async function startWorker(session: SessionState, worker: WorkerStart): Promise<void> {
  const { ref, agent, name } = worker;
  try {
    const child = await startChild('agentSession', {
      workflowId: sessionWorkflowId(ref),
      args: [{ ref, agent, mustExist: true }],
      staticSummary: `${agent} · worker ${name} of ${session.ref.sessionId}`,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      ...foundBy(session.settings.hasSearchAttributes, sessionAttributes(worker)),
    });
    child
      .result()
      .catch((error: unknown) => bringBack(session, worker, error))
      .catch(() => undefined);
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** Begins a worker again that was ended from outside: it closes what it left behind, and tells the leader. */
async function bringBack(session: SessionState, worker: WorkerStart, error: unknown): Promise<void> {
  const isLost = error instanceof ChildWorkflowFailure && error.cause instanceof TerminatedFailure;
  if (!isLost || session.isEnding) return;
  // Erasing ends it, too.
  if (patched('erased-worker') && !(await store.isMember({ leader: session.ref, member: worker.ref })))
    return;
  await startWorker(session, worker);
}

/**
 * Tells the leader what it waits for, once a turn that took in messages has ended; or tells the member that a report is missing. Nothing
 * for a session that is in no team.
 */
export async function concludeTurn(
  session: SessionState,
  turn: number,
  requesters: Requesters | undefined,
): Promise<void> {
  await CancellationScope.nonCancellable(async () => {
    const { ref } = session;
    const { reports = [], reminder } = await store.concludeMemberTurn({
      ref,
      turn,
      ...(requesters ? { requesters } : {}),
      hasMore: session.inbox.hasWaiting,
    });
    for (const report of reports)
      await deliverMessage.executeWithOptions({ summary: 'report to the leader' }, [report]);
    if (reminder) session.inbox.take(reminder);
  });
}
