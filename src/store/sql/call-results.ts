import { resultMessageId } from '../../core/message-ids.ts';
import type { CallState } from '../../core/next-action.ts';
import type { ToolResultState } from '../../schema/message.ts';
import type { MsgDraft } from '../store.ts';
import type { CallDetail } from './call-row.ts';
import type { CallRow } from './schema.ts';
import type { SessionWriter } from './session-writer.ts';

/** States of a call that has no result yet. */
export const openStates = [
  'pending',
  'allowed',
  'asking',
  'held',
  'submitted',
  'uncertain',
] as const satisfies CallState[];

/** Puts a result on the seq that its call reserved, and tells of it. */
export function placeResult(
  session: SessionWriter,
  call: Pick<CallRow, 'call_id' | 'turn' | 'seq'>,
  draft: MsgDraft,
): ToolResultState {
  const message = session.placeMessage(draft, call.seq);
  const state = stateOf(draft);
  session.appendMessageEvent(call.turn, {
    kind: 'tool_result_end',
    messageId: message.id,
    callId: call.call_id,
    state,
    message,
  });
  return state;
}

/**
 * Pairs every call of the turn that has no result: a transcript with a dangling call is one that no endpoint takes. Of one that may have
 * happened its result and the audit say so: nobody will find out any more.
 */
export async function interruptOpenCalls(session: SessionWriter, turn: number, text: string): Promise<void> {
  const open = await session.trx
    .selectFrom('durascope_calls')
    .selectAll()
    .where('session', '=', session.session.id)
    .where('turn', '=', turn)
    .where('state', 'in', openStates)
    .execute();
  if (open.length === 0) return;
  await session.trx
    .updateTable('durascope_calls')
    .set({ state: 'interrupted', is_dispatched: 0, ended_at: session.now })
    .where('session', '=', session.session.id)
    .where('turn', '=', turn)
    .where('state', 'in', openStates)
    .execute();
  for (const call of open.toSorted((a, b) => a.seq - b.seq)) {
    const { sealed, ...detail } = JSON.parse(call.detail) as CallDetail;
    if (sealed !== undefined) await forget(session, call, detail);
    const { name } = detail;
    const told = mayHaveHappened(call) ? `${text} It may have happened, in whole or in part.` : text;
    placeResult(session, call, {
      id: resultMessageId(turn, call.step, call.call_id),
      turn,
      step: call.step,
      role: 'tool',
      createdAt: session.now,
      content: [
        {
          type: 'tool_result',
          id: call.call_id,
          name,
          state: 'interrupted',
          content: [{ type: 'text', id: 'b0', text: told }],
        },
      ],
    });
    if (mayHaveHappened(call))
      session.appendAudit(
        { turn, callId: call.call_id, tool: name },
        { behavior: 'ask', by: 'turn_end', reason: told, arguments: detail.arguments },
      );
  }
}

/** It was begun, or handed to a system outside, and its outcome is not known. */
function mayHaveHappened({ state, is_dispatched }: CallRow): boolean {
  return is_dispatched === 1 || state === 'submitted';
}

/** What was sealed has no more use. */
async function forget(session: SessionWriter, call: CallRow, detail: CallDetail): Promise<void> {
  await session.trx
    .updateTable('durascope_calls')
    .set({ detail: JSON.stringify(detail) })
    .where('id', '=', call.id)
    .execute();
}

function stateOf(result: MsgDraft): ToolResultState {
  const block = result.content.find((block) => block.type === 'tool_result');
  if (block) return block.state;
  throw new TypeError(`Message ${result.id} settles a call: its content must be one tool_result block`);
}
