import { userInfo } from 'node:os';
import { DurascopeError, type PendingCall, type Session } from '../client/index.ts';
import type { Confirmation } from '../contracts/inputs.ts';
import type { Json } from '../schema/message.ts';
import type { Ask } from './prompter.ts';
import { printable } from './text.ts';

export interface Approver {
  session: Session;
  ask: Ask;
  /** Prints a line. */
  say: (line: string) => void;
  signal: AbortSignal;
}

/** For the record of who answered. */
export function actor(): string {
  return userInfo().username;
}

/** Approves all calls that wait for a person. */
export async function approveAll(session: Session, pending: readonly PendingCall[]): Promise<void> {
  const asking = pending.filter(({ state }) => state === 'asking');
  if (asking.length === 0) return;
  await session.confirm(
    asking.map(({ callId }) => ({ callId, decision: 'allow' as const })),
    { actor: actor() },
  );
}

/**
 * Asks a person about each waiting call and sends the answers; what the turn rejects (edited arguments that don't fit) is asked again.
 * False when the person gave no answer.
 */
export async function approveOneByOne(approver: Approver, pending: readonly PendingCall[]): Promise<boolean> {
  for (const call of pending.filter(({ state }) => state === 'asking')) {
    let isAnswered = false;
    while (!isAnswered) {
      const confirmation = await askAbout(approver, call);
      if (!confirmation) return false;
      isAnswered = await send(approver, confirmation);
    }
  }
  return true;
}

async function askAbout(
  { ask, say, signal }: Approver,
  call: PendingCall,
): Promise<Confirmation | undefined> {
  const { callId } = call;
  say(`${printable(call.name)} wants to run with`);
  say(printable(indented(call.arguments)));
  for (;;) {
    const answer = (await ask('approve? y(es), n(o), e(dit) ', { signal }))?.trim().toLowerCase();
    if (answer === undefined) return undefined;
    if (answer === 'y' || answer === 'yes') return { callId, decision: 'allow' };
    if (answer === 'n' || answer === 'no') {
      const reason = await ask('why not? (the model reads it; empty for none) ', { signal });
      if (reason === undefined) return undefined;
      return { callId, decision: 'deny', ...(reason.trim() === '' ? {} : { reason: reason.trim() }) };
    }
    if (answer === 'e' || answer === 'edit') {
      const edited = await askArguments(call, { ask, say, signal });
      if (edited !== undefined) return { callId, decision: 'allow', input: edited };
    }
  }
}

/** Undefined when they were left empty, or are no JSON. */
async function askArguments(
  call: PendingCall,
  { ask, say, signal }: Pick<Approver, 'ask' | 'say' | 'signal'>,
): Promise<Json | undefined> {
  const prefill = printable(call.arguments).replaceAll('\n', ' ');
  const text = await ask('arguments: ', { signal, prefill });
  if (text === undefined || text.trim() === '') return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    say(`that is not JSON: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

/** False when the same call must be asked about again. */
async function send({ session, say }: Approver, confirmation: Confirmation): Promise<boolean> {
  try {
    await session.confirm([confirmation], { actor: actor() });
    return true;
  } catch (error) {
    if (!(error instanceof DurascopeError) || error.code !== 'conflict') throw error;
    say(error.message);
    const now = await session.get();
    return !now?.pending.some(({ callId, state }) => callId === confirmation.callId && state === 'asking');
  }
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
