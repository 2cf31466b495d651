import { ApplicationFailure, log } from '@temporalio/activity';
import { failure } from '../contracts/failures.ts';
import type { WakeUpInput } from '../contracts/reminders.ts';
import { courierHere } from '../inbox/courier.ts';
import { deliver } from '../inbox/deliver.ts';
import { InboxError } from '../inbox/inbox-error.ts';
import { removeReminder } from '../reminders/reminder-slot.ts';
import type { ActivityDeps } from './deps.ts';
import { isRetired } from './reach.ts';
import { waitingForStore } from './sessions.ts';

/** Delivers a reminder: while its session's inbox is full it is tried again. A session that is gone, or takes in no messages, needs none. */
export async function wakeSession({ store }: ActivityDeps, { to, message }: WakeUpInput): Promise<void> {
  try {
    if (await waitingForStore(() => isRetired(store, to)))
      throw new InboxError('closed', `the team of session ${to.sessionId} was ended`);
    await deliver(courierHere(store), { owner: to.owner, to, message });
  } catch (error) {
    if (!(error instanceof InboxError)) throw error;
    if (error.code !== 'not_found' && error.code !== 'closed')
      throw ApplicationFailure.create({ message: error.message, type: failure.internal, cause: error });
    log.warn('A reminder was dropped: nobody will take it', { session: to.sessionId, why: error.message });
    if (error.code === 'not_found') return;
  }
  await waitingForStore(() => removeReminder(store, to, message.id.replace('reminder/', '')));
}
