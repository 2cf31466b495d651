import type { SessionRef } from '../contracts/ids.ts';
import { taskWorkflowId } from '../contracts/tasks.ts';
import { errorOutcome } from '../tools/tool-errors.ts';
import { deliverMessage } from './deliver-message.ts';
import type { ActivityDeps } from './deps.ts';
import { isWorkflowOpen, lookout } from './look-after.ts';
import { taskMessage } from './task-message.ts';
import { markTold, readTasks, settleOrRecord, type BackgroundTask } from './task-registry.ts';

const isTime = lookout();

/**
 * Notices tasks whose workflow was ended from outside, so that nobody tells of them: they are recorded as lost, and told like others. A
 * failure to find out is no failure of the turn: the next step looks again.
 */
export async function noticeLostTasks(
  deps: ActivityDeps,
  ref: SessionRef,
  isTurnStart: boolean,
): Promise<void> {
  const tasks = (await readTasks(deps.store, ref)).filter(
    ({ state, isTold }) => state === 'running' || !isTold,
  );
  if (tasks.length === 0 || !isTime(ref, isTurnStart)) return;
  for (const task of tasks) await lookAfter(deps, ref, task).catch(() => undefined);
}

async function lookAfter(deps: ActivityDeps, ref: SessionRef, { taskId }: BackgroundTask): Promise<void> {
  if (await isWorkflowOpen(taskWorkflowId(ref, taskId))) return;
  // Its workflow records before it ends: what is not recorded now is lost.
  const task = (await readTasks(deps.store, ref)).find((one) => one.taskId === taskId);
  const call = await deps.store.calls.get(ref, taskId);
  if (!task || !call || task.isTold) return;
  if (task.state === 'running') {
    const why = `${task.name} was lost: its workflow was ended from outside. It may have taken effect, in whole or in part.`;
    await settleOrRecord(deps.store, ref, call, errorOutcome(why), 'lost');
  }
  const message = await taskMessage(deps.store, ref, taskId);
  if (message) await deliverMessage(deps, { to: ref, message });
  await markTold(deps.store, ref, taskId);
}
