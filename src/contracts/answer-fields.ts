import type { GateAnswer } from './activities.ts';
import type { Confirmation, ExternalResult, Reconciliation } from './inputs.ts';

/** What an answer of each kind may say. Anything else is a slip, such as `inputs`, that would settle another call than the one meant. */
export const answerFields = {
  confirm: [
    'callId',
    'decision',
    'input',
    'reason',
    'remember',
    'answer',
    'questionId',
  ] satisfies (keyof Confirmation)[],
  external: ['callId', 'state', 'content'] satisfies (keyof ExternalResult)[],
  reconcile: ['callId', 'outcome', 'content', 'reason'] satisfies (keyof Reconciliation)[],
} as const satisfies Record<GateAnswer['kind'], readonly string[]>;

/** Why this says something that nobody would read; undefined when all of it is known. */
export function whyUnknownField(what: string, value: object, known: readonly string[]): string | undefined {
  const unknown = Object.keys(value).find((field) => !known.includes(field));
  return unknown === undefined
    ? undefined
    : `${what} has an unknown field ${JSON.stringify(unknown.slice(0, 100))}: it may have ${known.join(', ')}`;
}
