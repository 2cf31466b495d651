import type { PendingCall, Reply } from '../client/index.ts';
import type { FinishReason } from '../schema/message.ts';
import { oneLine, printable } from './text.ts';

/** The run paused: the turn waits at a gate. */
export function isPause(reason: FinishReason): boolean {
  return reason === 'permission_asking' || reason === 'tool_suspended';
}

/** The turn ended, and said something: while it waits, it has said nothing. */
export function hasAnswer({ finishReason, content }: Reply): boolean {
  return finishReason !== 'error' && finishReason !== 'interrupted' && content.length > 0;
}

/** What a person types to answer calls that wait. */
export function howToAnswer(pending: readonly PendingCall[]): string[] {
  return pending.flatMap(({ callId, name, state, question }) => {
    const what = printable(name);
    if (state === 'asking' && question)
      return [
        `${what} asks: ${oneLine(question.question, 200)}`,
        `  durascope confirm ${callId} --answer ${question.isSecret ? '-' : '"…"'}`,
        `  durascope deny ${callId} --reason "…"`,
      ];
    if (state === 'asking')
      return [
        `${what} waits for approval:`,
        `  durascope confirm ${callId}`,
        `  durascope deny ${callId} --reason "…"`,
      ];
    if (state === 'submitted')
      return [`${what} waits for its system, which answers with submitExternalResults for call ${callId}`];
    return [`${what} may have happened: find out, and answer with reconcile for call ${callId}`];
  });
}
