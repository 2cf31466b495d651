import type { Msg } from '../schema/message.ts';

/** What planning needs to know of a message. */
export interface ContextEntry {
  seq: number;
  turn: number;
  role: Msg['role'];
  /** Estimated. */
  tokens: number;
}

export interface ContextBudget {
  /** Tokens that prompt and answer may fill together. */
  contextTokens: number;
  /** Tokens that the system prompt and the tools take. */
  fixedTokens: number;
}

/** Above this share of the window the oldest messages leave the context … */
const triggerRatio = 0.8;
/** … until the rest fills this share: rarely and in bulk, so that the prompt's beginning, and with it the provider's cache, stays. */
const keepRatio = 0.5;

/**
 * Decides where the context begins. Calls and results are never parted: it begins at a message that is no tool result. The current turn's
 * input stays whatever its age; `assembleContext` puts it first.
 *
 * @returns the seq of the first message to keep: the first entry's when all of them fit.
 */
export function planContext(entries: readonly ContextEntry[], budget: ContextBudget): number {
  const first = entries[0]?.seq ?? 0;
  const total = entries.reduce((sum, entry) => sum + entry.tokens, budget.fixedTokens);
  if (total <= budget.contextTokens * triggerRatio) return first;

  const room = budget.contextTokens * keepRatio - budget.fixedTokens;
  let kept = 0;
  let from: number | undefined;
  for (const entry of entries.toReversed()) {
    kept += entry.tokens;
    if (kept > room && from !== undefined) break;
    if (entry.role !== 'tool') from = entry.seq;
  }
  return from ?? first;
}

/** The rule of thumb that all budgets use: a token is about four bytes of JSON. */
export function estimateTokens(json: string): number {
  return Math.ceil(json.length / 4);
}
