import { ApplicationFailure } from '@temporalio/activity';
import type { LetterInput } from '../contracts/activities.ts';
import { courierHere } from '../inbox/courier.ts';
import { deliver } from '../inbox/deliver.ts';
import { InboxError } from '../inbox/inbox-error.ts';
import type { ActivityDeps } from './deps.ts';
import { waitingForStore } from './sessions.ts';

/** Delivers a workflow's message. A full inbox, or one that nobody serves now, is tried again; false when there is no such session. */
export async function deliverMessage(
  { store }: Pick<ActivityDeps, 'store'>,
  { to, message }: LetterInput,
): Promise<boolean> {
  return waitingForStore(async () => {
    try {
      await deliver(courierHere(store), { owner: to.owner, to, message });
      return true;
    } catch (error) {
      if (!(error instanceof InboxError)) throw error;
      if (error.code === 'not_found') return false;
      throw ApplicationFailure.create({
        message: error.message,
        type: error.code,
        nonRetryable: false,
        cause: error,
      });
    }
  });
}
