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
  return pending.flatMap((call) => [
    `${printable(call.name)} ${waitsFor(call)}`,
    ...answersTo(call).map((command) => `  ${command}`),
  ]);
}

/** The commands that answer a call. */
export function answersTo({ callId, state, question }: PendingCall): string[] {
  switch (state) {
    case 'asking': {
      const answer = question ? ` --answer ${question.isSecret ? '-' : '"…"'}` : '';
      const named = question?.id === undefined ? '' : ` --question ${question.id}`;
      return [
        `durascope confirm ${callId}${answer}${named}`,
        `durascope deny ${callId} --reason "…"${named}`,
      ];
    }
    case 'submitted':
      return [`durascope result ${callId} --content "…"`];
    default:
      return [
        `durascope reconcile ${callId} --happened --reason "…"`,
        `durascope reconcile ${callId} --did-not-happen --reason "…"`,
      ];
  }
}

function waitsFor({ state, question }: PendingCall): string {
  switch (state) {
    case 'asking':
      return question ? `asks: ${oneLine(question.question, 200)}` : 'waits for approval:';
    case 'submitted':
      return 'waits for its system; to answer in its place:';
    default:
      return 'may have happened; find out, and say:';
  }
}
