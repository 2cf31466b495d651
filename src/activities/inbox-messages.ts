import type { SessionRef } from '../contracts/ids.ts';
import { inboxKey, type InboxMessage } from '../contracts/inbox.ts';
import { isMessage, type Steer, type SubmittedInput } from '../contracts/inputs.ts';
import type { Store } from '../store/store.ts';

/*
 * A message of the inbox is in a session once: as the input of a turn that it began, or as a message that a turn took in. The transcript
 * is what knows it, however often and however late the message is sent again.
 */

/** The ids, among these, of messages that were taken in. */
export async function messagesTaken(
  store: Store,
  ref: SessionRef,
  ids: readonly string[],
): Promise<string[]> {
  const turns = await Promise.all(ids.map((id) => turnOf(store, ref, inboxKey(id))));
  return ids.filter((_, i) => turns[i] !== undefined);
}

export async function untaken(
  store: Store,
  ref: SessionRef,
  messages: readonly InboxMessage[],
): Promise<InboxMessage[]> {
  const ids = messages.map(({ id }) => id);
  const taken = await messagesTaken(store, ref, ids);
  return messages.filter(({ id }) => !taken.includes(id));
}

/** The turn that this input was taken in by, when it is a message of the inbox. */
export async function turnOfMessage(
  store: Store,
  ref: SessionRef,
  input: SubmittedInput,
): Promise<number | undefined> {
  return isMessage(input) ? turnOf(store, ref, inboxKey(input.message.id)) : undefined;
}

/** Leaves out messages that have begun a turn already. */
export async function notTurns(store: Store, ref: SessionRef, steers: readonly Steer[]): Promise<Steer[]> {
  const isTurn = await Promise.all(
    steers.map(
      async ({ id, input }) => isMessage(input) && (await store.turns.ofInput(ref, id)) !== undefined,
    ),
  );
  return steers.filter((_, i) => !isTurn[i]);
}

async function turnOf(store: Store, ref: SessionRef, key: string): Promise<number | undefined> {
  return (await store.messages.get(ref, key))?.turn ?? (await store.turns.ofInput(ref, key))?.turn;
}
