/** An answer to a question that a call asks while it runs. A type, not an interface, so that it counts as JSON. */
export type GivenAnswer = { decision: 'allow' | 'deny'; answer?: string };

/** The session's slot in which the answer waits for the call. */
export function answerSlot(callId: string): string {
  return `answer.${callId}`;
}
