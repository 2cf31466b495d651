import { isSettled } from '../../core/next-action.ts';
import type { Msg } from '../../schema/message.ts';
import type { CallDraft, CallRecord, OwnedCall } from '../call-store.ts';
import type { CallRow } from './schema.ts';
import type { SessionWriter } from './session-writer.ts';

export type CallDetail = Pick<
  CallRecord,
  | 'name'
  | 'arguments'
  | 'reason'
  | 'sealed'
  | 'suggestedRules'
  | 'isSafety'
  | 'question'
  | 'votes'
  | 'approval'
  | 'deadline'
  | 'dueAt'
  | 'usage'
>;

export function toCall(row: CallRow): CallRecord {
  return {
    callId: row.call_id,
    turn: row.turn,
    step: row.step,
    index: row.idx,
    seq: row.seq,
    messageId: row.message_id,
    ...(JSON.parse(row.detail) as CallDetail),
    state: row.state,
    isDispatched: row.is_dispatched === 1,
    attempts: row.attempts,
    createdAt: row.created_at,
    ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
  };
}

/** A call with the session that a join found it in. */
export function toOwnedCall(row: CallRow & { session_id: string; agent: string }): OwnedCall {
  return { ...toCall(row), agent: row.agent, ref: { owner: row.owner, sessionId: row.session_id } };
}

export function newCallRow(
  session: SessionWriter,
  message: Msg,
  call: CallDraft,
  index: number,
): Omit<CallRow, 'id'> {
  const detail: CallDetail = {
    name: call.name,
    arguments: call.arguments,
    ...(call.reason === undefined ? {} : { reason: call.reason }),
    ...(call.sealed === undefined || call.result ? {} : { sealed: call.sealed }),
    ...(call.suggestedRules ? { suggestedRules: call.suggestedRules } : {}),
    ...(call.isSafety ? { isSafety: true } : {}),
    ...(call.question ? { question: call.question } : {}),
    ...(call.approval ? { approval: call.approval } : {}),
    ...(call.deadline ? { deadline: call.deadline } : {}),
  };
  return {
    session: session.session.id,
    owner: session.session.owner,
    call_id: call.callId,
    turn: message.turn,
    step: message.step,
    idx: index,
    seq: message.seq + 1 + index,
    message_id: message.id,
    state: call.state,
    is_dispatched: 0,
    attempts: 0,
    created_at: session.now,
    ended_at: isSettled(call) ? session.now : null,
    detail: JSON.stringify(detail),
  };
}
