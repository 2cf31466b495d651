// Workflow code: starts turns of sessions below, and tasks. Imports contracts and @temporalio/workflow only.
import {
  CancellationScope,
  ParentClosePolicy,
  startChild,
  type ChildWorkflowHandle,
} from '@temporalio/workflow';
import type { CallChange } from '../contracts/activities.ts';
import { turnIdOf } from '../contracts/ids.ts';
import type { ChildTurn, TurnInput, TurnResult } from '../contracts/inputs.ts';
import { interruptSignal } from '../contracts/messages.ts';
import { taskWorkflowId, type TaskInput } from '../contracts/tasks.ts';
import { foundBy, runningAttributes } from './child-attributes.ts';

// By their names: these workflows import this file.
type AgentTurn = (input: TurnInput) => Promise<TurnResult>;
type AgentTask = (input: TaskInput) => Promise<CallChange>;

/** Runs a turn of a session below. When the scope is cancelled it is told, and ends by itself: what it has said stays, and so do those below. */
export async function runChildTurn(
  child: ChildTurn,
  hasSearchAttributes: boolean,
  reason: () => string,
): Promise<TurnResult> {
  const { ref, turn, agent } = child;
  const scope = CancellationScope.current();
  if (scope.consideredCancelled) await scope.cancelRequested;
  return CancellationScope.nonCancellable(async () => {
    const handle = await startChild<AgentTurn>('agentTurn', {
      workflowId: turnIdOf(ref, turn),
      args: [{ ...child, hasSearchAttributes }],
      staticSummary: `${agent} · subagent ${ref.sessionId}`,
      // Nobody else waits for it.
      parentClosePolicy: ParentClosePolicy.TERMINATE,
      ...foundBy(hasSearchAttributes, runningAttributes(child)),
    });
    const ended = handle.result();
    interruptWhenCancelled(scope, handle, ended, reason);
    return ended;
  });
}

/** A task goes on when the turn that began it ends. */
export function startTask(input: TaskInput): Promise<ChildWorkflowHandle<AgentTask>> {
  const { ref, callId, name, hasSearchAttributes } = input;
  return startChild<AgentTask>('agentTask', {
    workflowId: taskWorkflowId(ref, callId),
    args: [input],
    staticSummary: `${name} · task ${callId} of ${ref.sessionId}`,
    parentClosePolicy: ParentClosePolicy.ABANDON,
    ...foundBy(hasSearchAttributes, runningAttributes(input)),
  });
}

/** Passes a cancellation of the scope on, unless the workflow has ended. Returns what stops it. */
export function interruptWhenCancelled(
  scope: CancellationScope,
  handle: Pick<ChildWorkflowHandle<AgentTurn>, 'signal'>,
  ended: Promise<unknown>,
  reason: () => string,
): () => void {
  let isOver = false;
  const stop = (): void => {
    isOver = true;
  };
  ended.then(stop, stop);
  scope.cancelRequested.catch(() => {
    if (!isOver) handle.signal(interruptSignal, { reason: reason() }).catch(() => undefined);
  });
  return stop;
}
