import type { PendingCall } from '../client/index.ts';
import type { Confirmation } from '../contracts/inputs.ts';
import { formatRule } from '../core/permission-rule.ts';
import type { Json } from '../schema/message.ts';
import { argumentDiff, argumentsOf } from './argument-diff.ts';
import type { Ask } from './prompter.ts';
import { gateFacts, rememberable } from './render-gate.ts';
import { printable, type Style } from './text.ts';

export interface Asking {
  ask: Ask;
  /** Prints a line. */
  say: (line: string) => void;
  signal: AbortSignal;
  style: Style;
}

/**
 * Shows a call and asks what shall become of it: once, remembered, edited, or not at all. `draft` is an edit that was refused before.
 * Undefined when the person is gone.
 */
export async function askAboutCall(
  asking: Asking,
  call: PendingCall,
  draft?: Json,
): Promise<Confirmation | undefined> {
  const { ask, say, signal } = asking;
  const { callId } = call;
  const rules = rememberable(call);
  if (draft === undefined) {
    say(`${printable(call.name)} wants to run with`);
    say(printable(JSON.stringify(argumentsOf(call), null, 2)));
    for (const line of gateFacts(call, asking.style)) say(line);
  }
  const choices = `approve? y(es, once), ${rules.length === 0 ? '' : 'r(emember), '}n(o), e(dit) `;
  let edited = draft;
  for (;;) {
    const choice = choiceOf(await ask(choices, { signal, callId }));
    if (choice === undefined) return undefined;
    if (choice === 'y') return { callId, decision: 'allow' };
    if (choice === 'n') {
      const reason = await askReason(asking, callId);
      return reason && { callId, decision: 'deny', ...reason };
    }
    if (choice === 'r' && rules.length > 0) {
      const remember = await askRule(asking, callId, rules);
      if (remember) return { callId, decision: 'allow', remember: [remember] };
    }
    if (choice === 'e') {
      edited = (await askArguments(asking, call, edited)) ?? edited;
      if (edited !== undefined && (await isMeant(asking, call, edited)))
        return { callId, decision: 'allow', input: edited };
    }
  }
}

/** The first letter of an answer. */
export function choiceOf(answer: string | undefined): string | undefined {
  return answer?.trim().toLowerCase().slice(0, 1);
}

/** Undefined when the person is gone. */
export async function askReason(
  { ask, signal }: Pick<Asking, 'ask' | 'signal'>,
  callId: string,
): Promise<{ reason?: string } | undefined> {
  const reason = await ask('why not? (the model reads it; empty for none) ', { signal, callId });
  if (reason === undefined) return undefined;
  return reason.trim() === '' ? {} : { reason: reason.trim() };
}

/** Undefined when none was picked. */
async function askRule<R extends Parameters<typeof formatRule>[0]>(
  { ask, say, signal }: Asking,
  callId: string,
  rules: readonly R[],
): Promise<R | undefined> {
  say('from now on, this session allows without asking');
  for (const [i, rule] of rules.entries()) say(`  ${i + 1}  ${printable(formatRule(rule))}`);
  const number = await ask(`which? (1-${rules.length}; empty for none of them) `, { signal, callId });
  return number !== undefined && /^\d+$/.test(number.trim()) ? rules[Number(number) - 1] : undefined;
}

/** Undefined when they were left empty, or are no JSON. */
async function askArguments(
  { ask, say, signal }: Asking,
  call: PendingCall,
  draft: Json | undefined,
): Promise<Json | undefined> {
  const prefill = printable(JSON.stringify(draft ?? argumentsOf(call)));
  const text = await ask('arguments: ', { signal, callId: call.callId, prefill });
  if (text === undefined || text.trim() === '') return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    say(`that is not JSON: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

async function isMeant(
  { ask, say, signal, style }: Asking,
  call: PendingCall,
  edited: Json,
): Promise<boolean> {
  const changes = argumentDiff(argumentsOf(call), edited, style);
  if (changes.length === 0) {
    say('that changes nothing');
    return false;
  }
  for (const line of changes) say(`  ${line}`);
  return choiceOf(await ask('run it with this? y(es), n(o) ', { signal, callId: call.callId })) === 'y';
}
