import { messagesTaken } from '../activities/inbox-messages.ts';
import { readTasks } from '../tasks/background-slot.ts';
import type { SessionRef } from '../contracts/ids.ts';
import { openReminders } from '../reminders/reminder-slot.ts';
import type { Store } from '../store/store.ts';
import { changeMembership, readMembership, readTeam, type Membership } from './team-slot.ts';

/*
 * What a member owes its leader is noted before each message is sent, so that nobody is thought to be at work whose last word has arrived
 * already: then the one who waits for that word would wait for ever.
 */

/** The leader asks for something. Returns what takes it back, for a message that did not arrive. */
export async function noteAsked(
  store: Store,
  member: SessionRef,
  teamId: string,
  message: string,
): Promise<() => Promise<void>> {
  const before = await readMembership(store, member);
  // A repeat of what was taken in, and perhaps answered, asks for nothing.
  const isKnown = (await messagesTaken(store, member, [message])).length > 0;
  if (before?.teamId !== teamId || isKnown) return async () => undefined;
  await changeMembership(store, member, (now) => now && { ...withoutReport(now), asked: message });
  return async () => {
    await changeMembership(store, member, (now) => (now?.asked === message ? before : now));
  };
}

/** The member reports, in this turn. Returns what takes it back. */
export async function noteReported(
  store: Store,
  member: SessionRef,
  turn: number,
): Promise<() => Promise<void>> {
  await changeMembership(store, member, (now) => now && { ...now, reportedIn: turn });
  return async () => {
    await changeMembership(store, member, (now) => (now?.reportedIn === turn ? withoutReport(now) : now));
  };
}

/** Its leader will hear of it. */
export function isOwing({ asked, reportedIn }: Membership): boolean {
  return asked !== undefined && reportedIn === undefined;
}

export function withoutReport(now: Membership): Membership {
  const { reportedIn: _, ...rest } = now;
  return rest;
}

/** Whether something wakes this session again without a word from anybody: what its team owes it, what it has in the background, a reminder. */
export async function isGoingOn(store: Store, ref: SessionRef): Promise<boolean> {
  const tasks = await readTasks(store, ref);
  if (tasks.some(({ state }) => state === 'running')) return true;
  const untold = tasks.filter(({ isTold }) => !isTold).map(({ taskId }) => `task:${taskId}`);
  const reminders = (await openReminders(store, ref)).map(({ key }) => `reminder/${key}`);
  const announced = [...untold, ...reminders];
  // What was taken in a moment ago may not be off its list yet.
  if ((await messagesTaken(store, ref, announced)).length < announced.length) return true;
  return (await owingMembers(store, ref)).length > 0;
}

/** The members of the team that this session leads that owe it a report, each with the message that it is of. */
export async function owingMembers(
  store: Store,
  leader: SessionRef,
): Promise<{ name: string; sessionId: string; asked: string }[]> {
  const team = await readTeam(store, leader);
  const owing = await Promise.all(
    (team?.members ?? []).map(async ({ name, sessionId }) => {
      const membership = await readMembership(store, { owner: leader.owner, sessionId });
      if (membership?.teamId !== team?.id || !membership?.asked || !isOwing(membership)) return [];
      return [{ name, sessionId, asked: membership.asked }];
    }),
  );
  return owing.flat();
}

/** The message did not arrive after all: no report of it will come. */
export async function dropAsked(store: Store, member: SessionRef, asked: string): Promise<void> {
  await changeMembership(store, member, (now) => {
    if (now?.asked !== asked) return now;
    const { asked: _, ...rest } = now;
    return rest;
  });
}
