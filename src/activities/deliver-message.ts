import { ApplicationFailure, log } from '@temporalio/activity';
import type { LetterInput } from '../contracts/activities.ts';
import { courierHere } from '../inbox/courier.ts';
import { deliver } from '../inbox/deliver.ts';
import { InboxError } from '../inbox/inbox-error.ts';
import type { ActivityDeps } from './deps.ts';
import { isRetired } from './reach.ts';
import { waitingForStore } from './sessions.ts';

/**
 * Delivers a workflow's message. A full inbox, or one that nobody serves now, is tried again; where nobody will ever take it the message is
 * dropped, so that its sender goes on.
 *
 * @returns false when it was dropped.
 */
export async function deliverMessage(
  { store }: Pick<ActivityDeps, 'store'>,
  { to, message }: LetterInput,
): Promise<boolean> {
  return waitingForStore(async () => {
    try {
      const isOwn = message.kind === 'task' || message.kind === 'wakeup';
      if (isOwn && (await isRetired(store, to)))
        throw new InboxError('closed', `the team of session ${to.sessionId} was ended`);
      await deliver(courierHere(store), { owner: to.owner, to, message });
      return true;
    } catch (error) {
      if (!(error instanceof InboxError)) throw error;
      if (error.code === 'not_found' || error.code === 'closed') {
        log.warn('A message was dropped: nobody will take it', {
          session: to.sessionId,
          message: message.id,
          why: error.message,
        });
        return false;
      }
      throw ApplicationFailure.create({
        message: error.message,
        type: error.code,
        nonRetryable: false,
        cause: error,
      });
    }
  });
}
