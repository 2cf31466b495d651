import type { SessionRef } from '../contracts/ids.ts';
import { isWaiting } from '../core/next-action.ts';
import type { CallRecord } from '../store/store.ts';
import type { PendingCall } from './client.ts';

export function toPendingCall(call: CallRecord, { sessionId }: Pick<SessionRef, 'sessionId'>): PendingCall {
  const { callId, name, arguments: args, state, turn, reason } = call;
  return {
    callId,
    name,
    arguments: args,
    state,
    turn,
    sessionId,
    ...(reason === undefined ? {} : { reason }),
  };
}

export function pendingOf(calls: readonly CallRecord[], ref: SessionRef): PendingCall[] {
  return calls.filter(isWaiting).map((call) => toPendingCall(call, ref));
}
