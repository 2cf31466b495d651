import type { SessionRef } from '../contracts/ids.ts';
import type { Confirmation } from '../contracts/inputs.ts';
import { toActor, type Actor } from '../core/approval.ts';
import { askedSlot, whyNoAnswer, type Asked, type GivenAnswer } from '../core/asked-in-call.ts';
import type { CallRecord } from '../store/call-store.ts';
import type { Store } from '../store/store.ts';
import { DurascopeError } from './durascope-error.ts';

/** The call runs, and asks meanwhile: its worker waits for the answer in the store. */
export function asksWhileItRuns(call: Pick<CallRecord, 'state' | 'isDispatched'>): boolean {
  return call.state === 'asking' && call.isDispatched;
}

/** Hands an answer to a call that asks while it runs. @throws DurascopeError `conflict`, `unfit_answer`. */
export async function answerInCall(
  store: Store,
  ref: SessionRef,
  call: CallRecord,
  confirmation: Confirmation,
  actor: Actor | string | undefined,
): Promise<void> {
  const { callId, decision, answer, reason, questionId } = confirmation;
  const by = toActor(actor);
  const given: GivenAnswer = {
    decision,
    ...(answer === undefined ? {} : { answer }),
    ...(by ? { by: by.id } : {}),
  };
  const unfit = whyUnfit(call, confirmation);
  let why: ReturnType<typeof whyNoAnswer>;
  await store.slots.update(ref, askedSlot(callId), (now) => {
    const asked = (now ?? { ids: [], answers: {} }) as Asked;
    const id = call.question?.id;
    // What was asked since the call was read has not been held against the answer.
    why = whyNoAnswer(asked, questionId) ?? (id === asked.open ? undefined : 'not_open');
    if (why !== undefined || unfit !== undefined || id === undefined) return { value: now };
    const told = {
      kind: 'gate_answered' as const,
      callId,
      questionId: id,
      answer: decision === 'deny' ? ('deny' as const) : ('answer' as const),
      ...(by ? { actor: by.id } : {}),
      ...(reason === undefined ? {} : { reason }),
    };
    return {
      value: { ...asked, answers: { ...asked.answers, [id]: given } },
      events: { turn: call.turn, bodies: [told] },
    };
  });
  if (why !== undefined) throw new DurascopeError('conflict', refusals[why](callId, call.question?.id));
  if (unfit !== undefined) throw new DurascopeError('unfit_answer', unfit);
}

function whyUnfit({ question }: CallRecord, { callId, decision, answer = '' }: Confirmation) {
  if (decision === 'deny') return undefined;
  if (answer.trim() === '') return `Call ${callId} asks a question: give an answer`;
  const labels = question?.options?.map(({ label }) => label) ?? [];
  return question?.isFree === false && !labels.includes(answer)
    ? `The answer must be one of: ${labels.join(', ')}`
    : undefined;
}

/** For an answer to a question of a call that does not ask while it runs, or not any more. */
export function mustNameNoQuestion({ callId, questionId }: Confirmation): void {
  if (questionId !== undefined) throw new DurascopeError('conflict', refusals.not_open(callId));
}

const refusals = {
  answered: (callId: string) => `Call ${callId} has been answered already`,
  not_open: (callId: string) => `Call ${callId} does not ask this question (any more)`,
  unnamed: (callId: string, id = '') =>
    `Call ${callId} has asked more than one question: answer the one that it asks now with its questionId "${id}", once you have read it`,
};

/** The calls, among these, that wait for somebody: one that asks while it runs takes a moment to see that it has its answer. */
export async function unanswered<
  T extends Pick<CallRecord, 'callId' | 'state' | 'isDispatched' | 'question'>,
>(store: Store, calls: readonly T[], refOf: (call: T) => SessionRef): Promise<T[]> {
  const areAnswered = await Promise.all(
    calls.map(async (call) => {
      if (!asksWhileItRuns(call)) return false;
      const asked = (await store.slots.get(refOf(call), askedSlot(call.callId))) as Asked | undefined;
      return asked?.answers[call.question?.id ?? ''] !== undefined;
    }),
  );
  return calls.filter((_, i) => areAnswered[i] !== true);
}
