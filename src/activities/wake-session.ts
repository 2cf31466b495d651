import type { WakeUpInput } from '../contracts/reminders.ts';
import { removeReminder } from '../reminders/reminder-slot.ts';
import { deliverMessage } from './deliver-message.ts';
import type { ActivityDeps } from './deps.ts';
import { waitingForStore } from './sessions.ts';

/** Delivers a reminder, or drops it where nobody will take it. */
export async function wakeSession(deps: ActivityDeps, { to, message }: WakeUpInput): Promise<void> {
  await deliverMessage(deps, { to, message });
  const { store } = deps;
  await waitingForStore(async () => {
    // With a session that is gone its list is.
    if (await store.sessions.get(to)) await removeReminder(store, to, message.id.replace('reminder/', ''));
  });
}
