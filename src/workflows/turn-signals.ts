// Workflow code: what a session passes on to turns. Imports contracts and @temporalio/workflow only.
import { getExternalWorkflowHandle, isCancellation, log, type SignalDefinition } from '@temporalio/workflow';
import type { Answered } from '../contracts/inputs.ts';
import { store } from './activity-proxies.ts';
import { whyNoAnswers } from './check-message.ts';
import type { SessionState } from './session-state.ts';

/** Passes answers on to the turns that wait for them: the session's own, and those of sessions below it. */
export async function route<T extends { callId: string }>(
  session: SessionState,
  signal: SignalDefinition<[Answered<T>]>,
  answered: Answered<T>,
): Promise<void> {
  if (whyNoAnswers(answered) !== undefined) return forward(session, signal, answered);
  const callIds = answered.results.map((result) => result?.callId).filter((id) => typeof id === 'string');
  const places = await store.locateCalls({ ref: session.ref, callIds });
  const turnOf = new Map(places.map(({ callId, turnId }) => [callId, turnId]));
  const elsewhere = new Set(turnOf.values());
  elsewhere.delete(session.runningTurnId ?? '');
  for (const turnId of elsewhere) {
    const results = answered.results.filter((result) => turnOf.get(result?.callId) === turnId);
    if (!(await signalTurn(turnId, signal, { ...answered, results })))
      log.warn('The turn of an answered call has ended', { turnId });
  }
  const own = answered.results.filter((result) => !elsewhere.has(turnOf.get(result?.callId) ?? ''));
  if (own.length > 0) await forward(session, signal, { ...answered, results: own });
}

/** Passes a message on to the turn that runs; without one there is nobody to tell. */
export async function forward<T>(
  session: SessionState,
  signal: SignalDefinition<[T]>,
  message: T,
): Promise<void> {
  const turnId = session.runningTurnId;
  if (turnId === undefined || !(await signalTurn(turnId, signal, message)))
    log.warn('No turn runs that could take the message', { signal: signal.name });
}

/** False when that turn is closed. */
export async function signalTurn<T>(
  turnId: string,
  signal: SignalDefinition<[T]>,
  message: T,
): Promise<boolean> {
  try {
    await getExternalWorkflowHandle(turnId).signal(signal, message);
    return true;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return false;
  }
}
