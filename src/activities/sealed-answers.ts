import type { SessionRef } from '../contracts/ids.ts';
import type { SentConfirmation } from '../contracts/inputs.ts';
import { sealedAnswersId } from '../core/message-ids.ts';
import type { CallRecord } from '../store/call-store.ts';
import type { Store } from '../store/store.ts';

/** An answer to this call with what its sender put into the store; undefined when that is not there, or not for this call. */
export async function openSealed(
  store: Store,
  ref: SessionRef,
  { callId, turn }: CallRecord,
  answer: SentConfirmation,
): Promise<SentConfirmation | undefined> {
  const { sealed, ...rest } = answer;
  if (!sealed) return answer;
  if (!sealed.ref.startsWith(sealedAnswersId(turn, callId))) return undefined;
  const [part] = (await store.blobs.get(ref, sealed.ref)) ?? [];
  const value: unknown = part?.type === 'text' ? parse(part.text) : undefined;
  return typeof value === 'object' && value !== null ? { ...rest, ...value } : undefined;
}

export async function removeSealed(
  store: Store,
  ref: SessionRef,
  { callId, turn }: CallRecord,
): Promise<void> {
  await store.blobs.remove(ref, sealedAnswersId(turn, callId));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
