import { setTimeout as delay } from 'node:timers/promises';
import type { SessionRef } from '../contracts/ids.ts';
import type { ApprovalPolicy } from '../core/approval.ts';
import { answerSlot, type GivenAnswer } from '../core/asked-in-call.ts';
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
}

/**
 * Opens a gate for a question that a running call asks, and waits for its answer in the store: the turn's workflow knows nothing of it, and
 * goes on when the call has its result. Of a process only so many may wait at once: the next is told that nobody is there.
 */
export async function askInCall(
  store: Store,
  call: AskingCall,
  question: Question,
  options: AskOptions,
): Promise<Answer> {
  if (asking >= maxAsking) return { kind: 'nobody' };
  asking += 1;
  try {
    return await askAndWait(store, call, question, options);
  } finally {
    asking -= 1;
  }
}

async function askAndWait(
  store: Store,
  { ref, turn, callId }: AskingCall,
  question: Question,
  { waitMs, signal, policy }: AskOptions,
): Promise<Answer> {
  // Who may answer is for the turn's workflow to check, which this goes past.
  const { by = 'anyone', count = 1 } = policy ?? {};
  if (by !== 'anyone' || count > 1) return { kind: 'nobody' };
  await store.slots.update(ref, answerSlot(callId), () => ({ value: undefined }));
  const call = await store.calls.get(ref, callId);
  if (!call) return { kind: 'nobody' };
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
    const given = await waitForAnswer(store, ref, callId, { waitMs, signal });
    if (!given) return { kind: 'nobody' };
    return given.decision === 'deny' ? { kind: 'denied' } : { kind: 'answered', answer: given.answer ?? '' };
  } finally {
    if (!signal.aborted) {
      await store.calls.move(ref, callId, { state: 'allowed' });
      const calls = await store.calls.ofTurn(ref, turn);
      const isAlone = !calls.some(({ state, isDispatched }) => state === 'asking' && isDispatched);
      if (isAlone) await store.turns.setState(ref, turn, 'running', []);
    }
  }
}

async function waitForAnswer(
  store: Store,
  ref: SessionRef,
  callId: string,
  { waitMs, signal }: Pick<AskOptions, 'waitMs' | 'signal'>,
): Promise<GivenAnswer | undefined> {
  const until = performance.now() + waitMs;
  while (performance.now() < until) {
    const given = (await store.slots.get(ref, answerSlot(callId))) as GivenAnswer | undefined;
    if (given) return given;
    await delay(Math.min(pollMs, waitMs), undefined, { signal });
  }
  return undefined;
}
