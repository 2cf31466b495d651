import { sessionWorkflowId, turnIdOf, type SessionRef } from '../contracts/ids.ts';
import { sessionQuery } from '../contracts/messages.ts';
import { callTemporal, isNotFound } from './call-temporal.ts';
import { DurascopeError } from './durascope-error.ts';
import type { ClientContext } from './temporal-client.ts';

/** Ends a session's workflows, its turns before it, and then deletes what the store keeps: in that order, so that nothing writes it anew. */
export async function eraseSession(context: ClientContext, ref: SessionRef, force: boolean): Promise<void> {
  const { store } = context.content;
  const session = await store.sessions.get(ref);
  if (!session) throw new DurascopeError('not_found', `There is no session ${ref.sessionId} of ${ref.owner}`);
  if (!force && (session.state !== 'idle' || (await hasWork(context, ref))))
    throw new DurascopeError(
      'conflict',
      `Session ${ref.sessionId} has a turn that runs or waits: interrupt it first, or erase with force`,
    );
  // The session first: it would start the next turn when the running one ends.
  await terminate(context, sessionWorkflowId(ref));
  // The turn that runs may be newer than what the store knows.
  for (const turn of [session.lastTurn, session.lastTurn + 1])
    if (turn > 0) await terminate(context, turnIdOf(ref, turn));
  await store.sessions.erase(ref);
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
