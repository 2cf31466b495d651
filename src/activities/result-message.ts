import { resultMessageId } from '../core/message-ids.ts';
import type { ToolResultState } from '../schema/message.ts';
import type { CallRecord } from '../store/call-store.ts';
import type { MsgDraft } from '../store/store.ts';
import type { ToolOutcome } from '../tools/tool.ts';

/** The message of a call's result; the store puts it at the place that the call's own message reserved. */
export function resultMessage(
  call: Pick<CallRecord, 'callId' | 'name' | 'turn' | 'step'>,
  outcome: ToolOutcome,
): MsgDraft {
  return {
    id: resultMessageId(call.turn, call.step, call.callId),
    turn: call.turn,
    step: call.step,
    role: 'tool',
    createdAt: new Date().toISOString(),
    content: [
      {
        type: 'tool_result',
        id: call.callId,
        name: call.name,
        state: outcome.state,
        content: outcome.parts.map((part, i) => ({ ...part, id: `b${i}` })),
      },
    ],
  };
}

export function textOutcome(state: ToolResultState, text: string): ToolOutcome {
  return { state, parts: [{ type: 'text', text }] };
}
