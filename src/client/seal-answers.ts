import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import type { SessionRef } from '../contracts/ids.ts';
import type { Confirmation, SentConfirmation } from '../contracts/inputs.ts';
import { canonicalJson } from '../core/canonical-json.ts';
import { sealedAnswersId } from '../core/message-ids.ts';
import type { Json } from '../schema/message.ts';
import type { CallRecord } from '../store/call-store.ts';
import type { Store } from '../store/store.ts';
import { DurascopeError, type DurascopeErrorCode } from './durascope-error.ts';

/**
 * Keeps secrets that people type out of Temporal's history: the answer to a question that asks for one, and edited arguments of a tool with
 * secret fields, are written to the store and travel by reference. They are deleted once their call is settled or may run.
 *
 * @param send resolves to the ids of the calls whose answers were taken.
 */
export async function sendSealed(
  { store, ref }: { store: Store; ref: SessionRef },
  results: readonly Confirmation[],
  send: (sealed: SentConfirmation[]) => Promise<string[]>,
): Promise<void> {
  const sent = await Promise.all(results.map((confirmation) => seal(store, ref, confirmation)));
  const remove = async (callIds: readonly string[]) => {
    for (const { callId, sealed } of sent)
      if (sealed && callIds.includes(callId)) await store.blobs.remove(ref, sealed.ref);
  };
  const all = results.map(({ callId }) => callId);
  try {
    const taken = await send(sent);
    await remove(all.filter((callId) => !taken.includes(callId)));
  } catch (error) {
    // Where nobody answered, a worker may still come to it.
    if (error instanceof DurascopeError && refusals.includes(error.code)) await remove(all);
    throw error;
  }
}

const refusals: DurascopeErrorCode[] = [
  'conflict',
  'unfit_answer',
  'forbidden',
  'not_found',
  'invalid_input',
];

async function seal(store: Store, ref: SessionRef, confirmation: Confirmation): Promise<SentConfirmation> {
  const { input, answer, ...rest } = confirmation;
  if (input === undefined && answer === undefined) return confirmation;
  const call = await store.calls.get(ref, confirmation.callId);
  if (!call || !holdsSecrets(call)) return confirmation;
  const id = `${sealedAnswersId(call.turn, call.callId)}${randomUUID()}`;
  await store.blobs.put(ref, id, [{ type: 'text', text: JSON.stringify({ input, answer }) }]);
  const digest = input === undefined ? {} : { digest: await digestOf(store, ref, call, input) };
  return { ...rest, sealed: { ref: id, ...digest } };
}

function holdsSecrets({ sealed, question }: CallRecord): boolean {
  return sealed !== undefined || question?.isSecret === true;
}

/** By a key that stays in the store: whoever reads the history can't try out what was typed. */
async function digestOf(store: Store, ref: SessionRef, call: CallRecord, input: Json): Promise<string> {
  const id = `${sealedAnswersId(call.turn, call.callId)}key`;
  await store.blobs.put(ref, id, [{ type: 'text', text: randomBytes(32).toString('hex') }]);
  const [key] = (await store.blobs.get(ref, id)) ?? [];
  if (key?.type !== 'text') throw new Error(`the store lost the key ${id}`);
  return createHmac('sha256', key.text).update(canonicalJson(input)).digest('hex');
}
