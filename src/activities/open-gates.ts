import { log } from '@temporalio/activity';
import type { NoticeGatesInput, OpenGatesInput } from '../contracts/activities.ts';
import { turnIdOf, type SessionRef } from '../contracts/ids.ts';
import type { GateDeadline } from '../core/approval.ts';
import type { EventBody } from '../schema/event.ts';
import type { CallRecord } from '../store/call-store.ts';
import type { Store } from '../store/store.ts';
import type { ActivityDeps } from './deps.ts';
import { waitingForStore } from './sessions.ts';
import { toGateCall } from './turn-call.ts';

/** Tells observers what waits, and until when; with `pause` set, that the run ends until an answer comes. */
export async function openGates({ store }: ActivityDeps, input: OpenGatesInput): Promise<void> {
  const { ref, turn, run, callIds, pause } = input;
  await waitingForStore(async () => {
    const records = (await store.calls.ofTurn(ref, turn)).filter(({ callId }) => callIds.includes(callId));
    for (const { callId, state, deadline } of records)
      if (deadline) await store.calls.move(ref, callId, { state, dueAt: after(deadline) });
    const waiting = (state: CallRecord['state']) =>
      records.filter((record) => record.state === state).map(toGateCall);
    const requires: EventBody[] = [
      { kind: 'require_user_confirm' as const, calls: waiting('asking') },
      { kind: 'require_external_execution' as const, calls: waiting('submitted') },
      { kind: 'require_reconciliation' as const, calls: waiting('uncertain') },
    ].filter(({ calls }) => calls.length > 0);
    if (pause)
      await store.turns.setState(ref, turn, 'waiting', [
        ...requires,
        { kind: 'run_end', run, reason: pause },
      ]);
    else await store.events.appendDurable(ref, turn, requires);
  });
}

/** Says that nobody answered in time: to observers, and to the hook of the worker's owner. */
export async function noticeGates(deps: ActivityDeps, input: NoticeGatesInput): Promise<void> {
  const { ref, turn, notices } = input;
  await waitingForStore(async () => {
    await deps.store.events.appendDurable(
      ref,
      turn,
      notices.map(({ callId, kind }) => ({ kind: 'gate_overdue', callId, escalated: kind === 'escalated' })),
    );
    for (const { callId, kind } of notices) {
      const known = await deps.store.calls.get(ref, callId);
      const record = known && (await markOverdue(deps.store, ref, known, kind));
      if (!record || !deps.onGate) continue;
      const notice = { kind, ref, turnId: turnIdOf(ref, turn), call: toGateCall(record) };
      try {
        await deps.onGate(notice);
      } catch (error) {
        log.warn('The onGate hook failed', { callId, error });
      }
    }
  });
}

/** What the turn has decided on its own, for whoever looks at the gate: who may answer now, and until when. */
function markOverdue(
  store: Store,
  ref: SessionRef,
  { callId, state, deadline }: CallRecord,
  kind: 'overdue' | 'escalated',
): Promise<CallRecord> {
  const dueAt = deadline?.action === 'wait' ? after(deadline) : undefined;
  return kind === 'escalated'
    ? store.calls.move(ref, callId, { state, approval: deadline?.escalateTo ?? {}, votes: [], dueAt })
    : store.calls.move(ref, callId, { state, dueAt });
}

/** The turn's own clock begins when this is told, moments later. */
function after({ afterMs }: GateDeadline): string {
  return new Date(Date.now() + afterMs).toISOString();
}
