// Workflow code: pure. What a turn may be given, and how it travels. Imports core and types of contracts only.
import type { TurnContent, TurnReply } from '../contracts/child-turns.ts';
import { withRequesters, type Requesters } from '../core/approval.ts';

type Part = Exclude<TurnContent, string>[number];

/** Text, parts, answers of other turns, or a list of all these. */
export type TurnInputLike = string | TurnReply | Part | readonly (string | TurnReply | Part)[];

/** Several become one text, each a paragraph of it. An answer that is all there travels as text; any other by the place where it is kept. */
export function toContent(input: TurnInputLike): TurnContent {
  if (typeof input === 'string') return input;
  return listOf(input).flatMap((part, i) => (i === 0 ? [toPart(part)] : [paragraph, toPart(part)]));
}

/** Who is behind an input: who has it asked, and who wrote into the turns whose answers are in it. */
export function requestersOf(input: TurnInputLike, actor: string | undefined): Requesters {
  const asked = { known: actor === undefined ? [] : [actor], hasUnknown: actor === undefined };
  return listOf(input).reduce<Requesters>(
    (all, part) =>
      typeof part === 'object' && part.type === 'reply'
        ? withRequesters(all, 'requesters' in part ? part.requesters : undefined)
        : all,
    asked,
  );
}

function listOf(input: TurnInputLike): readonly (string | TurnReply | Part)[] {
  return Array.isArray(input) ? (input as readonly (string | TurnReply | Part)[]) : [input as Part];
}

const paragraph = { type: 'text' as const, text: '\n\n' };

function toPart(part: string | TurnReply | Part): Part {
  if (typeof part === 'string') return { type: 'text', text: part };
  if (part.type !== 'reply' || !('text' in part)) return part;
  if (part.isPartial !== true || part.messageId === undefined) return { type: 'text', text: part.text };
  return { type: 'reply', sessionId: part.sessionId, messageId: part.messageId };
}
