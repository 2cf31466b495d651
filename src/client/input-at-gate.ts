import { turnIdOf, type SessionRef } from '../contracts/ids.ts';
import { turnQuery } from '../contracts/messages.ts';
import { isOneAnswerEnough, toActor, whyMayNotAnswer } from '../core/approval.ts';
import type { SessionRecord } from '../store/store.ts';
import { callTemporal, isOpen } from './call-temporal.ts';
import type { SubmitOptions } from './client.ts';
import { DurascopeError } from './durascope-error.ts';
import { pendingOf } from './pending-call.ts';
import type { ClientContext } from './temporal-client.ts';

/**
 * New text must not slip past an open gate: its sender says what becomes of the calls that wait, and denies only those that they may answer.
 *
 * @throws DurascopeError `waiting`, `forbidden`
 */
export async function checkInputAtGate(
  context: ClientContext,
  { ref, state, lastTurn }: SessionRecord,
  { ifBusy, actor }: SubmitOptions,
): Promise<void> {
  if (state === 'waiting' && ifBusy === undefined) await refuseWhileWaiting(context, ref, lastTurn);
  if (state !== 'idle' && ifBusy === 'deny') await refuseToDeny(context, ref, lastTurn, actor);
}

async function refuseWhileWaiting(context: ClientContext, ref: SessionRef, turn: number): Promise<void> {
  const pending = pendingOf(await context.content.store.calls.ofTurn(ref, turn), ref);
  if (pending.length === 0 || !(await isOpen(context, turnIdOf(ref, turn)))) return;
  const calls = pending.map(({ callId, name, state }) => `${name} ${callId} (${state})`).join(', ');
  throw new DurascopeError(
    'waiting',
    `Session ${ref.sessionId} waits for ${calls}: answer first, or submit with ifBusy "queue" (after this turn), "steer" (into it) or "deny" (deny these calls and go on)`,
  );
}

/** The turn keeps to it as well, but it is only signalled, and can't say so. */
async function refuseToDeny(
  context: ClientContext,
  ref: SessionRef,
  turn: number,
  actor: SubmitOptions['actor'],
): Promise<void> {
  const guarded = (await context.content.store.calls.ofTurn(ref, turn)).filter(
    ({ state, isDispatched, approval }) =>
      (state === 'held' || (state === 'asking' && !isDispatched)) && !isOneAnswerEnough(approval),
  );
  const turnId = turnIdOf(ref, turn);
  if (guarded.length === 0 || !(await isOpen(context, turnId))) return;
  const { requesters } = await callTemporal(context, () =>
    context.temporal.workflow.getHandle(turnId).query(turnQuery),
  );
  for (const { callId, name, approval } of guarded) {
    const why = whyMayNotAnswer(approval, toActor(actor), requesters);
    if (why !== undefined)
      throw new DurascopeError('forbidden', `ifBusy "deny" would deny call ${callId} (${name}): ${why}`);
  }
}
