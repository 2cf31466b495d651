import type { InboxActivities } from '../contracts/activities.ts';
import type { ActivityDeps } from './deps.ts';
import { lookAfterMembers } from './lost-members.ts';
import { lookAfterTasks } from './lost-tasks.ts';
import { waitingForStore } from './sessions.ts';

/** For a session at rest: notices what of its work was lost, so that it is told. @returns whether some still goes on. */
export function lookAfter(
  { store }: Pick<ActivityDeps, 'store'>,
  { ref }: Parameters<InboxActivities['lookAfter']>[0],
): Promise<boolean> {
  return waitingForStore(async () => {
    const areTasksOpen = await lookAfterTasks({ store }, ref);
    const areMembersOwing = await lookAfterMembers({ store }, ref);
    return areTasksOpen || areMembersOwing;
  });
}
