import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { SessionRef } from '../contracts/ids.ts';
import type { ApprovalPolicy } from '../core/approval.ts';
import { askedSlot, askQuestion, questionIdOf, type Asked, type GivenAnswer } from '../core/asked-in-call.ts';
import { canonicalJson } from '../core/canonical-json.ts';
import type { Question } from '../schema/event.ts';
import type { Store } from '../store/store.ts';
import type { Answer } from '../tools/tool.ts';
import { toGateCall } from './turn-call.ts';

const pollMs = 300;

/** Each holds a place of the worker, which has a hundred by default: people must not be able to stop it by not answering. */
const maxAsking = 25;
let asking = 0;

interface AskOptions {
  waitMs: number;
  signal: AbortSignal;
  policy: ApprovalPolicy | undefined;
}

interface AskingCall {
  ref: SessionRef;
  turn: number;
  callId: string;
  /** Of the question within the call, from 1: the same when the call is run again. */
  number: number;
}

/**
 * Opens a gate for a question that a running call asks, and waits for its answer in the store: the turn's workflow knows nothing of it, and
 * goes on when the call has its result. A call that is run again is told what was answered to the same question before. Of a process only so
 * many may wait at once: the next is told that nobody is there.
 */
export async function askInCall(
  store: Store,
  call: AskingCall,
  question: Question,
  options: AskOptions,
): Promise<Answer> {
  // Who may answer is for the turn's workflow to check, which this goes past.
  const { by = 'anyone', count = 1 } = options.policy ?? {};
  if (by !== 'anyone' || count > 1) return { kind: 'nobody' };
  const id = questionIdOf(call.number, digestOf(question));
  const known = await askedBy(store, call);
  if (known?.answers[id]) return toAnswer(known.answers[id]);
  if (asking >= maxAsking) return { kind: 'nobody' };
  asking += 1;
  try {
    return await askAndWait(store, call, { ...question, id }, options);
  } finally {
    asking -= 1;
  }
}

/** The call asks no more: its gate goes, and its turn waits no longer unless others ask. */
export async function closeGate(
  store: Store,
  { ref, turn, callId }: Omit<AskingCall, 'number'>,
): Promise<void> {
  await store.calls.move(ref, callId, { state: 'allowed' });
  const calls = await store.calls.ofTurn(ref, turn);
  const isAlone = !calls.some(({ state, isDispatched }) => state === 'asking' && isDispatched);
  if (isAlone) await store.turns.setState(ref, turn, 'running', []);
}

async function askAndWait(
  store: Store,
  asking: AskingCall,
  question: Question & { id: string },
  { waitMs, signal }: AskOptions,
): Promise<Answer> {
  const { ref, turn, callId } = asking;
  const call = await store.calls.get(ref, callId);
  if (!call) return { kind: 'nobody' };
  const before = await open(store, asking, question.id);
  if (before) return toAnswer(before);
  // The state first: who is told of the gate looks whether the turn waits.
  await store.turns.setState(ref, turn, 'waiting', []);
  const gate = toGateCall({ ...call, question, reason: question.question });
  await store.calls.move(
    ref,
    callId,
    { state: 'asking', question, reason: question.question },
    { events: [{ kind: 'require_user_confirm', calls: [gate] }] },
  );
  try {
    return toAnswer(
      (await waitForAnswer(store, asking, question.id, { waitMs, signal })) ??
        (await close(store, asking, question.id)),
    );
  } finally {
    if (!signal.aborted) await closeGate(store, asking);
  }
}

async function open(store: Store, { ref, turn, callId }: AskingCall, id: string) {
  let before: GivenAnswer | undefined;
  await store.slots.update(ref, askedSlot(callId), (now) => {
    const { asked, given, isVoid } = askQuestion(now as Asked | undefined, id);
    before = given;
    const bodies = isVoid.map(([questionId, { by }]) => ({
      kind: 'gate_answered' as const,
      callId,
      questionId,
      answer: 'void' as const,
      ...(by === undefined ? {} : { actor: by }),
      reason: 'its call was run again and asks something else',
    }));
    return { value: asked, ...(bodies.length > 0 ? { events: { turn, bodies } } : {}) };
  });
  return before;
}

/** Nobody answered in time, unless somebody did at the last moment: whoever comes later is told that it is too late. */
async function close(store: Store, { ref, callId }: AskingCall, id: string) {
  const now = (await store.slots.update(ref, askedSlot(callId), (value) => {
    const { open: isOpen, ...rest } = value as Asked;
    return { value: isOpen === id ? rest : value };
  })) as Asked | undefined;
  return now?.answers[id];
}

async function waitForAnswer(
  store: Store,
  call: AskingCall,
  id: string,
  { waitMs, signal }: Pick<AskOptions, 'waitMs' | 'signal'>,
): Promise<GivenAnswer | undefined> {
  const until = performance.now() + waitMs;
  while (performance.now() < until) {
    const given = (await askedBy(store, call))?.answers[id];
    if (given) return given;
    await delay(Math.min(pollMs, waitMs), undefined, { signal });
  }
  return undefined;
}

async function askedBy(store: Store, { ref, callId }: AskingCall): Promise<Asked | undefined> {
  return (await store.slots.get(ref, askedSlot(callId))) as Asked | undefined;
}

function toAnswer(given: GivenAnswer | undefined): Answer {
  if (!given) return { kind: 'nobody' };
  return given.decision === 'deny' ? { kind: 'denied' } : { kind: 'answered', answer: given.answer ?? '' };
}

function digestOf(question: Question): string {
  return createHash('sha256').update(canonicalJson(question)).digest('hex').slice(0, 8);
}
