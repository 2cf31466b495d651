/*
 * Ids of messages, and of what belongs to them, within a session. They are made from what the turn knows, so that a repeated write meets the one before it.
 */

export function inputMessageId(turn: number): string {
  return `${turn}/input`;
}

export function stepMessageId(turn: number, step: number): string {
  return `${turn}/${step}`;
}

export function resultMessageId(turn: number, step: number, callId: string): string {
  return `${turn}/${step}/${callId}`;
}

export function noticeMessageId(turn: number, step: number, source: string): string {
  return `${turn}/${step}/notice/${source}`;
}

export function steerMessageId(turn: number, steerId: string): string {
  return `${turn}/steer/${steerId}`;
}

/** What people answer under seal to the calls of a turn, or to one of them, is kept under ids that begin so. */
export function sealedAnswersId(turn: number, callId?: string): string {
  return callId === undefined ? `answer/${turn}/` : `answer/${turn}/${callId}/`;
}

/** `turn/<owner>/<session>/<n>` → n. */
export function turnNumber(turnId: string): number {
  return Number(turnId.slice(turnId.lastIndexOf('/') + 1));
}
