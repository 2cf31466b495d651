import { log } from '@temporalio/activity';
import type { NoticeGatesInput, OpenGatesInput } from '../contracts/activities.ts';
import { turnIdOf } from '../contracts/ids.ts';
import type { EventBody } from '../schema/event.ts';
import type { CallRecord } from '../store/store.ts';
import type { ActivityDeps } from './deps.ts';
import { waitingForStore } from './sessions.ts';
import { toGateCall } from './turn-call.ts';

/** Tells observers what waits; with `pause` set, that the run ends until an answer comes. */
export async function openGates({ store }: ActivityDeps, input: OpenGatesInput): Promise<void> {
  const { ref, turn, run, callIds, pause } = input;
  await waitingForStore(async () => {
    const records = (await store.calls.ofTurn(ref, turn)).filter(({ callId }) => callIds.includes(callId));
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
      const record = await deps.store.calls.get(ref, callId);
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
