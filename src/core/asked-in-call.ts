/** An answer to a question that a call asks while it runs. A type, not an interface, so that it counts as JSON. */
export type GivenAnswer = { decision: 'allow' | 'deny'; answer?: string; by?: string };

/**
 * What a call has asked while it ran, and what it was told: kept until its session goes, so that a call that is run again, because its worker
 * ended, is told the same, and an answer that comes twice is known.
 */
export type Asked = {
  /** All questions, in the order in which they were asked first. */
  ids: string[];
  /** The one that takes an answer. */
  open?: string;
  answers: { [id: string]: GivenAnswer };
};

/** The session's slot that holds an `Asked`. */
export function askedSlot(callId: string): string {
  return `asked.${callId}`;
}

/** The same for the same question at the same place of its call. @param number from 1, within the call. @param digest of what is asked. */
export function questionIdOf(number: number, digest: string): string {
  return `${number}-${digest}`;
}

/** Names a gate to front ends that have one name for what is answered: a call, or one of the questions that it asks while it runs. */
export function gateIdOf(callId: string, questionId: string | undefined): string {
  return questionId === undefined ? callId : `${callId}#${questionId}`;
}

export function readGateId(gateId: string): { callId: string; questionId?: string } {
  const [, callId, questionId] = /^(.+)#(\d+-[0-9a-f]+)$/s.exec(gateId) ?? [];
  return callId === undefined || questionId === undefined ? { callId: gateId } : { callId, questionId };
}

/**
 * Pure. A call asks: it is told what was answered to this very question before it was run again. Else the question is open, and answers to
 * this one's place and to later ones are void: they were given in another conversation.
 */
export function askQuestion(
  { ids, answers }: Asked = { ids: [], answers: {} },
  id: string,
): { asked: Asked; given?: GivenAnswer; isVoid: [id: string, answer: GivenAnswer][] } {
  const given = answers[id];
  if (given) return { asked: { ids, answers }, given, isVoid: [] };
  const isBefore = ([other]: [string, unknown]) => placeOf(other) < placeOf(id);
  const entries = Object.entries(answers);
  const asked = {
    ids: ids.includes(id) ? ids : [...ids, id],
    open: id,
    answers: Object.fromEntries(entries.filter(isBefore)),
  };
  return { asked, isVoid: entries.filter((entry) => !isBefore(entry)) };
}

/** Pure. Why this is no answer to the question that is open, or undefined. One that names no question is for the only one that was asked. */
export function whyNoAnswer(
  { ids, open, answers }: Asked,
  named: string | undefined,
): 'answered' | 'not_open' | 'unnamed' | undefined {
  const id = named ?? (ids.length === 1 ? ids[0] : undefined);
  if (id === undefined) return 'unnamed';
  if (answers[id]) return 'answered';
  return id === open ? undefined : 'not_open';
}

function placeOf(id: string): number {
  return Number.parseInt(id, 10);
}
