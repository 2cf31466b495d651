import { Context } from '@temporalio/activity';
import type { SessionRef } from '../contracts/ids.ts';
import { taskWorkflowId } from '../contracts/tasks.ts';
import { isWorkflowOpen } from '../inbox/is-open.ts';
import { isUnsettled, readTasks, type BackgroundTask } from '../tasks/background-slot.ts';
import { errorOutcome } from '../tools/tool-errors.ts';
import { deliverMessage } from './deliver-message.ts';
import type { ActivityDeps } from './deps.ts';
import { lookout } from './lookout.ts';
import { closeLeft } from './sessions.ts';
import { taskMessage } from './task-message.ts';
import { markTold, settleOrRecord } from './task-registry.ts';

type Deps = Pick<ActivityDeps, 'store'>;

const isTime = lookout();

/** Looks after the tasks of a session that runs: at the start of each of its turns, and now and then within them. */
export async function noticeLostTasks(deps: Deps, ref: SessionRef, isTurnStart: boolean): Promise<void> {
  const tasks = (await readTasks(deps.store, ref)).filter(isUnsettled);
  if (tasks.length > 0 && isTime(ref, isTurnStart)) await lookAfterTasks(deps, ref);
}

/**
 * Notices tasks whose workflow was ended from outside, so that nobody tells of them: they are recorded as lost, and told like others. A
 * failure to find out is no failure of whoever asks: another look follows.
 *
 * @returns whether some still go on.
 */
export async function lookAfterTasks(deps: Deps, ref: SessionRef): Promise<boolean> {
  for (const task of (await readTasks(deps.store, ref)).filter(isUnsettled))
    await lookAfter(deps, ref, task).catch(() => undefined);
  return (await readTasks(deps.store, ref)).some(isUnsettled);
}

async function lookAfter(deps: Deps, ref: SessionRef, { taskId }: BackgroundTask): Promise<void> {
  if (await isWorkflowOpen(Context.current().client, taskWorkflowId(ref, taskId))) return;
  // Its workflow records before it ends: what is not recorded now is lost.
  const task = (await readTasks(deps.store, ref)).find((one) => one.taskId === taskId);
  const call = await deps.store.calls.get(ref, taskId);
  if (!task || !call || task.isTold) return;
  if (task.state === 'running') {
    // The turn of its subagent went with it.
    if (task.taskSessionId !== undefined)
      await closeLeft(deps, { owner: ref.owner, sessionId: task.taskSessionId });
    const why = `${task.name} was lost: its workflow was ended from outside. It may have taken effect, in whole or in part.`;
    await settleOrRecord(deps.store, ref, call, errorOutcome(why), 'lost');
  }
  const message = await taskMessage(deps.store, ref, taskId);
  if (message) await deliverMessage(deps, { to: ref, message });
  await markTold(deps.store, ref, taskId);
}
