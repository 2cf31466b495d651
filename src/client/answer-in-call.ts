import type { SessionRef } from '../contracts/ids.ts';
import type { Confirmation } from '../contracts/inputs.ts';
import { toActor, type Actor } from '../core/approval.ts';
import { answerSlot, type GivenAnswer } from '../core/asked-in-call.ts';
import type { CallRecord } from '../store/call-store.ts';
import type { Store } from '../store/store.ts';
import { DurascopeError } from './durascope-error.ts';

/** The call runs, and asks meanwhile: its worker waits for the answer in the store. */
export function asksWhileItRuns(call: Pick<CallRecord, 'state' | 'isDispatched'>): boolean {
  return call.state === 'asking' && call.isDispatched;
}

/** Hands an answer to a call that asks while it runs. @throws DurascopeError `unfit_answer`, `conflict`. */
export async function answerInCall(
  store: Store,
  ref: SessionRef,
  call: CallRecord,
  { callId, decision, answer, reason }: Confirmation,
  actor: Actor | string | undefined,
): Promise<void> {
  const { question } = call;
  if (decision === 'allow' && (answer === undefined || answer.trim() === ''))
    throw new DurascopeError('unfit_answer', `Call ${callId} asks a question: give an answer`);
  const labels = question?.options?.map(({ label }) => label);
  if (decision === 'allow' && question?.isFree === false && !labels?.includes(answer ?? ''))
    throw new DurascopeError('unfit_answer', `The answer must be one of: ${labels?.join(', ')}`);
  const by = toActor(actor);
  const given: GivenAnswer = { decision, ...(answer === undefined ? {} : { answer }) };
  let isLate = false;
  await store.slots.update(ref, answerSlot(callId), (now) => {
    isLate = now !== undefined;
    if (isLate) return { value: now };
    const told = {
      kind: 'gate_answered' as const,
      callId,
      answer: decision === 'deny' ? ('deny' as const) : ('answer' as const),
      ...(by ? { actor: by.id } : {}),
      ...(reason === undefined ? {} : { reason }),
    };
    return { value: given, events: { turn: call.turn, bodies: [told] } };
  });
  if (isLate) throw new DurascopeError('conflict', `Call ${callId} has been answered already`);
}
