import type { LetterInput } from '../contracts/activities.ts';
import { cleanUpWorkflowId, type CleanUpInput } from '../contracts/clean-up.ts';
import { sessionWorkflowId, turnIdOf, type SessionRef } from '../contracts/ids.ts';
import { sessionQuery } from '../contracts/messages.ts';
import { reminderWorkflowId } from '../contracts/reminders.ts';
import { taskWorkflowId } from '../contracts/tasks.ts';
import { openReminders } from '../reminders/reminder-slot.ts';
import type { SessionRecord } from '../store/store.ts';
import { readTasks } from '../tasks/background-slot.ts';
import { leaveErased } from '../team/leave.ts';
import { isNotFound } from '../inbox/temporal-failures.ts';
import { callTemporal, isOpen } from './call-temporal.ts';
import { deleteExecutions } from './delete-executions.ts';
import { DurascopeError } from './durascope-error.ts';
import type { ClientContext } from './temporal-client.ts';

/**
 * Ends a session's workflows, with its background tasks and reminders, and then deletes what the store keeps: in that order, so that nothing
 * writes it anew. What its agent's sources keep on workers is deleted by one of these, soon. With
 * force what is below it goes with it, from the top down; without, nothing below may be at work.
 */
export async function eraseSession(context: ClientContext, ref: SessionRef, force: boolean): Promise<void> {
  const { store } = context.content;
  const session = await store.sessions.get(ref);
  if (!session) throw new DurascopeError('not_found', `There is no session ${ref.sessionId} of ${ref.owner}`);
  if (!force && (await isBusy(context, session)))
    throw new DurascopeError(
      'conflict',
      `Session ${ref.sessionId} has a turn that runs or waits, or a task in the background: interrupt it first, or erase with force`,
    );
  if (!force) await refuseBusyBelow(context, ref);
  // Before all: whoever leads its team would begin it again.
  const letter = await leaveErased(store, session);
  // The session first: it would start the next turn when the running one ends, and begin again a worker that ends.
  await endSession(context, session);
  if (force) for (const one of await below(context, ref)) await eraseOne(context, one);
  await forget(context, session, letter);
}

async function refuseBusyBelow(context: ClientContext, ref: SessionRef): Promise<void> {
  const busy: string[] = [];
  for (const one of await below(context, ref)) if (await isBusy(context, one)) busy.push(one.ref.sessionId);
  if (busy.length > 0)
    throw new DurascopeError(
      'conflict',
      `Sessions below ${ref.sessionId} have turns that run or wait, or tasks in the background: ${busy.join(', ')}. Interrupt them first, or erase with force, which erases them too`,
    );
}

/** All sessions below, those above first, so that none begins anew what was ended. Guests are not its own, and stay. */
async function below({ content }: ClientContext, ref: SessionRef): Promise<SessionRecord[]> {
  const found: SessionRecord[] = [];
  for (const parents = [ref]; ;) {
    const parent = parents.shift();
    if (!parent) return found;
    for (let cursor: string | undefined; ;) {
      const page = await content.store.sessions.children(parent, cursor === undefined ? {} : { cursor });
      const own = page.items.filter(({ lineage }) => lineage?.kind !== 'invited');
      found.push(...own);
      parents.push(...own.map((one) => one.ref));
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
  }
}

async function eraseOne(context: ClientContext, session: SessionRecord): Promise<void> {
  await endSession(context, session);
  await forget(context, session);
}

/** What workers keep is theirs to delete, once one is there; it also tells the leader of its team, as often as it takes. */
async function forget(
  context: ClientContext,
  { ref, agent }: SessionRecord,
  letter?: LetterInput,
): Promise<void> {
  await context.content.store.sessions.erase(ref);
  const input: CleanUpInput = { ref, agent, ...(letter ? { letter } : {}) };
  await callTemporal(context, () =>
    context.temporal.workflow.start('cleanUp', {
      workflowId: cleanUpWorkflowId(ref),
      taskQueue: context.taskQueue,
      args: [input],
      workflowIdConflictPolicy: 'USE_EXISTING',
      staticSummary: `clean up after ${ref.sessionId}`,
    }),
  );
}

async function endSession(context: ClientContext, { ref, lastTurn }: SessionRecord): Promise<void> {
  await terminate(context, sessionWorkflowId(ref));
  // The turn that runs may be newer than what the store knows.
  for (const turn of [lastTurn, lastTurn + 1]) if (turn > 0) await terminate(context, turnIdOf(ref, turn));
  const { store } = context.content;
  for (const id of await runningTasks(context, ref)) await terminate(context, id);
  for (const { key } of await openReminders(store, ref))
    await terminate(context, reminderWorkflowId(ref, key));
  await deleteExecutions(context, ref);
}

async function isBusy(context: ClientContext, { ref, state, control }: SessionRecord): Promise<boolean> {
  if (state !== 'idle' || control.queue.length > 0 || (await hasWork(context, ref))) return true;
  for (const id of await runningTasks(context, ref)) if (await isOpen(context, id)) return true;
  return false;
}

async function runningTasks({ content }: ClientContext, ref: SessionRef): Promise<string[]> {
  const running = (await readTasks(content.store, ref)).filter(({ state }) => state === 'running');
  return running.map(({ taskId }) => taskWorkflowId(ref, taskId));
}

async function hasWork(context: ClientContext, ref: SessionRef): Promise<boolean> {
  try {
    const handle = context.temporal.workflow.getHandle(sessionWorkflowId(ref));
    const { status } = await callTemporal(context, () => handle.describe());
    if (status.name !== 'RUNNING') return false;
    const { running, queued } = await callTemporal(context, () => handle.query(sessionQuery));
    return running !== undefined || queued.length > 0;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

async function terminate(context: ClientContext, workflowId: string): Promise<void> {
  try {
    await callTemporal(context, () =>
      context.temporal.workflow.getHandle(workflowId).terminate('the session was erased'),
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
