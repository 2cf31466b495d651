import type { SessionRef } from '../contracts/ids.ts';
import { interruptSignal } from '../contracts/messages.ts';
import { taskWorkflowId } from '../contracts/tasks.ts';
import { isNotFound } from '../inbox/temporal-failures.ts';
import { readTasks } from '../tasks/background-slot.ts';
import { callTemporal } from './call-temporal.ts';
import type { BackgroundTaskView } from './client.ts';
import { DurascopeError } from './durascope-error.ts';
import type { ClientContext } from './temporal-client.ts';

export async function viewTasks({ content }: ClientContext, ref: SessionRef): Promise<BackgroundTaskView[]> {
  const tasks = await readTasks(content.store, ref);
  return tasks.map(({ requesters: _requesters, isTold: _isTold, ...view }) => view);
}

/** @throws DurascopeError `not_found` */
export async function cancelTask(
  context: ClientContext,
  ref: SessionRef,
  taskId: string,
  reason: string,
): Promise<void> {
  const tasks = await readTasks(context.content.store, ref);
  if (!tasks.some((task) => task.taskId === taskId))
    throw new DurascopeError('not_found', `Session ${ref.sessionId} has no background task ${taskId}`);
  const handle = context.temporal.workflow.getHandle(taskWorkflowId(ref, taskId));
  try {
    await callTemporal(context, () => handle.signal(interruptSignal, { reason }));
  } catch (error) {
    // It has ended: there is nothing to stop.
    if (!isNotFound(error)) throw error;
  }
}
