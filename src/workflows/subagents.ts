// Workflow code: calls that are turns of other agents, or that may go on in the background. Imports contracts and @temporalio/workflow only.
import { CancellationScope, condition } from '@temporalio/workflow';
import type { CallChange } from '../contracts/activities.ts';
import type { TurnCall } from '../contracts/inputs.ts';
import type { TaskInput } from '../contracts/tasks.ts';
import { store, taskStore } from './activity-proxies.ts';
import { interruptWhenCancelled, runChildTurn, startTask } from './child-workflows.ts';
import { outcomeOf } from './turn-outcome.ts';
import type { TurnState } from './turn-state.ts';

/** Runs subagents side by side, as many at once as the narrowest of them permits. */
export async function runSubagents(
  turn: TurnState,
  calls: readonly TurnCall[],
  hasSearchAttributes: boolean,
): Promise<CallChange[]> {
  const width = Math.min(...calls.map(({ child }) => child?.breadth ?? 1));
  const waiting = [...calls];
  const changes: CallChange[] = [];
  const work = async (): Promise<void> => {
    for (let call = waiting.shift(); call; call = waiting.shift())
      changes.push(await runSubagent(turn, call, hasSearchAttributes));
  };
  await allEnded(Array.from({ length: Math.min(width, calls.length) }, work));
  return changes;
}

/** Runs a tool that goes on in the background when it takes longer. */
export function runLongTool(
  turn: TurnState,
  call: TurnCall,
  hasSearchAttributes: boolean,
): Promise<CallChange> {
  const { timeoutMs, backgroundAfterMs } = call;
  const work = { kind: 'tool', step: turn.view.step, timeoutMs } as const;
  return runTask(turn, call, { work, hasSearchAttributes, afterMs: backgroundAfterMs ?? timeoutMs });
}

/** Resolves, or rejects with the first failure, when none of them runs any more. */
export async function allEnded<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const ended = await Promise.allSettled(work);
  return ended.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}

async function runSubagent(
  turn: TurnState,
  call: TurnCall,
  hasSearchAttributes: boolean,
): Promise<CallChange> {
  const { callId } = call;
  const { canBackground, tokensLeft } = turn;
  const opened = await store.openSubagent({ ...turn.address, callId, canBackground, ...tokensLeft });
  if (opened.kind === 'settled') return opened.change;
  const { background } = opened;
  const child = { ...opened.child, requesters: turn.view.requesters };
  if (background) {
    const work = { kind: 'subagent', child } as const;
    return runTask(turn, call, { work, hasSearchAttributes, afterMs: background.afterMs });
  }
  const result = await outcomeOf(() => runChildTurn(child, hasSearchAttributes, () => reasonOf(turn)));
  turn.childEnded(result);
  const isStopping = CancellationScope.current().consideredCancelled;
  return CancellationScope.nonCancellable(() =>
    store.closeSubagent({ ...turn.address, callId, child, result, isStopping }),
  );
}

/** Waits for a task as long as it may take; then its call is settled, and it goes on. */
async function runTask(
  turn: TurnState,
  { callId, name }: TurnCall,
  task: Pick<TaskInput, 'work' | 'hasSearchAttributes'> & { afterMs: number },
): Promise<CallChange> {
  const { afterMs, ...rest } = task;
  const scope = CancellationScope.current();
  if (scope.consideredCancelled) await scope.cancelRequested;
  const address = { ...turn.address, callId };
  const { requesters } = turn.view;
  return CancellationScope.nonCancellable(async () => {
    const handle = await startTask({ ...address, name, requesters, ...rest });
    let hasEnded = false;
    const ended = handle.result().catch(async (error: unknown) => {
      const why = `its workflow ended: ${error instanceof Error ? error.message : String(error)}`;
      return (await taskStore.endTask({ ...address, why, isCancelled: false })).change;
    });
    const noteEnd = (): void => {
      hasEnded = true;
    };
    ended.then(noteEnd, noteEnd);
    const leave = interruptWhenCancelled(scope, handle, ended, () => reasonOf(turn));
    const isDone = () => hasEnded || scope.consideredCancelled;
    if (afterMs > 0 && (await condition(isDone, afterMs, { summary: `${name} may go on in the background` })))
      return ended;
    leave();
    // From here on what it comes to is told by the task itself.
    ended.catch(() => undefined);
    const taskSessionId =
      rest.work.kind === 'subagent' ? { taskSessionId: rest.work.child.ref.sessionId } : {};
    return taskStore.moveToBackground({ ...address, name, requesters, ...taskSessionId });
  });
}

function reasonOf(turn: TurnState): string {
  return turn.interruptReason ?? 'the turn that asked for it was cancelled';
}
