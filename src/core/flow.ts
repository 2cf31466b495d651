import type { Predicate } from '../schema/flow.ts';

/** The answer of a turn, by the place where it is kept, with the beginning of its text. */
export interface FlowReply {
  type: 'reply';
  sessionId: string;
  messageId: string;
  text: string;
  isPartial?: boolean;
  /** Who says it, where several talk. */
  from?: string;
}

/**
 * What the items of a fan-out came to, as small as it can be carried: an answer is the id of its message, where its session is that of the
 * item; null for an item that failed.
 */
export interface FlowItems {
  type: 'items';
  /** Sessions of the items are named `<session>.<n>`, n from 1. */
  session: string;
  labels: string[];
  answers: (string | FlowPart[] | null)[];
}

export type FlowPart = { type: 'text'; text: string } | FlowReply | FlowItems;

export interface FlowFailure {
  /** Where in the flow: `1.2.17`. */
  place: string;
  what: string;
  message: string;
}

/** What goes from step to step. */
export interface FlowValue {
  parts: FlowPart[];
  failures: FlowFailure[];
}

const labelLength = 80;

export function textValue(text: string): FlowValue {
  return { parts: [{ type: 'text', text }], failures: [] };
}

/** What predicates are asked of: texts and the beginnings of answers, items of fan-outs left out. */
export function textOf({ parts }: FlowValue): string {
  return parts.map((part) => (part.type === 'items' ? '' : part.text)).join('\n');
}

export function holds(predicate: Predicate, text: string): boolean {
  const normal = text.trim().toLowerCase();
  if ('contains' in predicate) return normal.includes(predicate.contains.toLowerCase());
  if ('equals' in predicate) return normal === predicate.equals.toLowerCase();
  if ('not' in predicate) return !holds(predicate.not, text);
  return 'all' in predicate
    ? predicate.all.every((one) => holds(one, text))
    : predicate.any.some((one) => holds(one, text));
}

/** Several values as one, each under a heading. */
export function together(values: readonly { name: string; value: FlowValue }[]): FlowValue {
  return {
    parts: values.flatMap(({ name, value }, i) => [
      { type: 'text' as const, text: `${i === 0 ? '' : '\n\n'}## ${name}\n\n` },
      ...value.parts,
    ]),
    failures: values.flatMap(({ value }) => value.failures),
  };
}

/** What became of an item of a fan-out. */
export type ItemOutcome = { isDone: true; value: FlowValue } | { isDone: false; failure: FlowFailure };

export function itemsTogether(
  session: string,
  items: readonly string[],
  outcomes: readonly ItemOutcome[],
): FlowValue {
  const answers = outcomes.map((outcome, i) =>
    outcome.isDone ? smallest(outcome.value.parts, `${session}.${i + 1}`) : null,
  );
  return {
    parts: [{ type: 'items', session, labels: items.map((item) => oneLine(item)), answers }],
    failures: outcomes.flatMap((outcome) => (outcome.isDone ? outcome.value.failures : [outcome.failure])),
  };
}

/** Texts of answers are left out: they are read where they are needed. */
export function trimmed(value: FlowValue): FlowValue {
  const parts = value.parts.map((part) =>
    part.type === 'reply' ? { ...part, text: '', isPartial: true } : part,
  );
  return { ...value, parts };
}

/** Parts with the items of fan-outs spread out, each under a heading, and what failed named. */
export function spread(value: FlowValue): Exclude<FlowPart, FlowItems>[] {
  return value.parts.flatMap((part) => (part.type === 'items' ? spreadItems(part, value.failures) : [part]));
}

function spreadItems(
  { session, labels, answers }: FlowItems,
  failures: readonly FlowFailure[],
): Exclude<FlowPart, FlowItems>[] {
  return answers.flatMap((answer, i) => {
    const sessionId = `${session}.${i + 1}`;
    const heading = { type: 'text' as const, text: `${i === 0 ? '' : '\n\n'}## ${labels[i]}\n\n` };
    if (answer === null) {
      const why = failures.find(({ what }) => what === sessionId)?.message ?? 'unknown';
      return [heading, { type: 'text' as const, text: `(failed: ${why})` }];
    }
    if (typeof answer !== 'string') return [heading, ...spread({ parts: answer, failures: [...failures] })];
    return [heading, { type: 'reply' as const, sessionId, messageId: answer, text: '', isPartial: true }];
  });
}

/**
 * The prompt of a turn with its input in it: at the place of `{{input}}`, else after it.
 */
export function withPrompt(prompt: string | undefined, value: FlowValue): Exclude<FlowPart, FlowItems>[] {
  const input = spread(value);
  if (prompt === undefined || prompt.trim() === '') return input;
  const [before = '', ...after] = prompt.split('{{input}}');
  const text = (given: string) => (given === '' ? [] : [{ type: 'text' as const, text: given }]);
  if (after.length === 0) return [{ type: 'text', text: `${before}\n\n` }, ...input];
  return [...text(before), ...after.flatMap((piece) => [...input, ...text(piece)])];
}

export function oneLine(text: string, length = labelLength): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}

function smallest(parts: readonly FlowPart[], sessionId: string): string | FlowPart[] {
  const [only, ...others] = parts;
  return only?.type === 'reply' && others.length === 0 && only.sessionId === sessionId
    ? only.messageId
    : trimmed({ parts: [...parts], failures: [] }).parts;
}
