import { Context, log } from '@temporalio/activity';
import type { LetterInput } from '../contracts/activities.ts';
import { failure } from '../contracts/failures.ts';
import { courierHere } from '../inbox/courier.ts';
import { deliver } from '../inbox/deliver.ts';
import { InboxError } from '../inbox/inbox-error.ts';
import { isRetired } from '../inbox/reach.ts';
import type { Store } from '../store/store.ts';
import type { ActivityDeps } from './deps.ts';
import { waitingForStore } from './sessions.ts';

/** How long a full inbox, or one that nobody serves, is tried: whoever sends waits meanwhile, so that its messages stay in order. */
const patienceMs = 24 * 3_600_000;

/**
 * Delivers a workflow's message. What may pass is tried again; a message that nobody will take is dropped, so that its sender goes on, and the
 * sender's observers are told.
 *
 * @returns false when it was dropped.
 */
export async function deliverMessage(
  { store }: Pick<ActivityDeps, 'store'>,
  { to, message }: LetterInput,
): Promise<boolean> {
  return waitingForStore(async () => {
    try {
      const isOwn = message.kind === 'task' || message.kind === 'wakeup' || message.kind === 'reminder';
      if (isOwn && (await isRetired(store, to)))
        throw new InboxError('closed', `the team of session ${to.sessionId} was ended`);
      await deliver(courierHere(store), { owner: to.owner, to, message });
      return true;
    } catch (error) {
      if (!(error instanceof InboxError)) throw error;
      const waitedMs = Date.now() - Context.current().info.scheduledTimestampMs;
      if (error.isRetryable && waitedMs < patienceMs) throw error;
      await tellSender(store, { to, message }, error.message);
      return false;
    }
  });
}

/** It may be idle, and must not be woken for this: what it would answer to would not arrive either. */
async function tellSender(store: Store, { to, message }: LetterInput, why: string): Promise<void> {
  log.warn('A message was dropped', { session: to.sessionId, message: message.id, why });
  const { sessionId } = message.from;
  const sender = sessionId === undefined ? undefined : { owner: to.owner, sessionId };
  const record = sender && (await store.sessions.get(sender));
  if (!record) return;
  const text = `Its message ${message.id} to session ${to.sessionId} was not delivered: ${why}`;
  const event = { kind: 'error' as const, code: failure.rejected, message: text, retryable: false };
  await store.events.appendDurable(record.ref, record.lastTurn, [event]);
}
