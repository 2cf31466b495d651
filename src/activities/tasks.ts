import type { CallChange } from '../contracts/activities.ts';
import type { EndedTask, TaskActivities, TaskStoreActivities } from '../contracts/tasks.ts';
import type { SessionRef } from '../contracts/ids.ts';
import { isSettled } from '../core/next-action.ts';
import type { CallRecord } from '../store/call-store.ts';
import type { Store } from '../store/store.ts';
import { readTasks } from '../tasks/background-slot.ts';
import { errorOutcome } from '../tools/tool-errors.ts';
import { childOutcome } from './child-outcome.ts';
import { deliverMessage } from './deliver-message.ts';
import type { ActivityDeps } from './deps.ts';
import { equip } from './equip.ts';
import { textOutcome } from './result-message.ts';
import { closeTurn, waitingForStore } from './sessions.ts';
import { taskMessage } from './task-message.ts';
import { markTold, moveToBackground as move, settleOrRecord, toChange } from './task-registry.ts';

type Input<K extends keyof TaskStoreActivities> = Parameters<TaskStoreActivities[K]>[0];

export async function moveToBackground(
  { store }: ActivityDeps,
  { ref, callId, taskSessionId, requesters }: Input<'moveToBackground'>,
): Promise<CallChange> {
  const about = {
    ...(taskSessionId === undefined ? {} : { taskSessionId }),
    ...(requesters ? { requesters: { ...requesters, known: [...requesters.known] } } : {}),
  };
  return waitingForStore(async () => move(store, ref, await mustGet(store, ref, callId), about));
}

export async function closeTask(deps: ActivityDeps, input: Input<'closeTask'>): Promise<EndedTask> {
  const { store } = deps;
  const { ref, callId, child, result } = input;
  await closeTurn(deps, { ...child, result });
  return waitingForStore(async () => {
    const call = await mustGet(store, ref, callId);
    const agent = await equip(deps, deps.agents.get(input.agent), ref);
    const subagent = agent.toolByName.get(call.name)?.subagent;
    const outcome = await childOutcome(store, { name: call.name, child, result, isStopping: true, subagent });
    return settleOrRecord(store, ref, call, outcome);
  });
}

export async function endTask(
  { store }: ActivityDeps,
  { ref, callId, why, isCancelled }: Input<'endTask'>,
): Promise<EndedTask> {
  return waitingForStore(async () => {
    const call = await mustGet(store, ref, callId);
    // It waits at a gate of its turn.
    if (call.state === 'uncertain') return { change: toChange(call), isLate: false };
    const task = (await readTasks(store, ref)).find(({ taskId }) => taskId === callId);
    if (task && task.state !== 'running') return { change: toChange(call), isLate: true };
    if (!task && isSettled(call)) return { change: toChange(call), isLate: false };
    const outcome = isCancelled
      ? textOutcome(
          'interrupted',
          `${call.name} was stopped: ${why}. It may have taken effect, in whole or in part.`,
        )
      : errorOutcome(`${call.name} failed: ${why}`);
    return settleOrRecord(store, ref, call, outcome);
  });
}

/** A full inbox, or no worker for the session, passes: it is tried again. */
export async function deliverTask(
  deps: ActivityDeps,
  { ref, callId }: Parameters<TaskActivities['deliverTask']>[0],
): Promise<void> {
  const message = await waitingForStore(() => taskMessage(deps.store, ref, callId));
  if (!message) return;
  await deliverMessage(deps, { to: ref, message });
  await waitingForStore(() => markTold(deps.store, ref, callId));
}

async function mustGet(store: Store, ref: SessionRef, callId: string): Promise<CallRecord> {
  const call = await store.calls.get(ref, callId);
  if (!call) throw new Error(`Call ${callId} is not in the store`);
  return call;
}
