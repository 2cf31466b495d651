import type { SessionRef } from '../contracts/ids.ts';
import { votesNeeded } from '../core/approval.ts';
import { isWaiting } from '../core/next-action.ts';
import type { CallRecord } from '../store/call-store.ts';
import type { PendingCall } from './client.ts';

export function toPendingCall(
  call: CallRecord & { agent?: string },
  { sessionId }: Pick<SessionRef, 'sessionId'>,
): PendingCall {
  const {
    callId,
    name,
    arguments: args,
    state,
    isDispatched,
    turn,
    createdAt,
    agent,
    reason,
    suggestedRules,
    isSafety,
    question,
    votes = [],
    approval,
    deadline,
    dueAt,
  } = call;
  const isEdited = votes.length > 0 && votes.at(-1)?.arguments !== args;
  const needed = state === 'asking' && !question ? votesNeeded(approval, isEdited) : 1;
  return {
    callId,
    name,
    arguments: args,
    state,
    turn,
    createdAt,
    sessionId,
    ...(agent === undefined ? {} : { agent }),
    ...(reason === undefined ? {} : { reason }),
    ...(suggestedRules ? { suggestedRules } : {}),
    ...(isSafety ? { isSafety } : {}),
    ...(question ? { question } : {}),
    ...(state === 'asking' && isDispatched ? { isRunning: true as const } : {}),
    ...(votes.length > 0 ? { votes } : {}),
    // A system's result is nobody's approval.
    ...(approval && state !== 'submitted' ? { approval } : {}),
    ...(needed > 1 ? { votesNeeded: needed } : {}),
    ...(deadline && dueAt !== undefined ? { deadline: { dueAt, action: deadline.action } } : {}),
  };
}

/** A call of a session below the one that was asked. */
export function pendingBelow(call: CallRecord & { ref: SessionRef; path: string[] }): PendingCall {
  return { ...toPendingCall(call, call.ref), path: call.path };
}

export function pendingOf(calls: readonly CallRecord[], ref: SessionRef): PendingCall[] {
  // What is held back for a sibling's answer has no gate of its own yet.
  return calls
    .filter((call) => isWaiting(call) && call.state !== 'held')
    .map((call) => toPendingCall(call, ref));
}
