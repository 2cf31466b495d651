import { WorkflowNotFoundError } from '@temporalio/client';
import { sessionWorkflowId, type SessionRef } from '../contracts/ids.ts';
import { endUpdate } from '../contracts/messages.ts';
import { interruptTasks } from '../activities/background-source.ts';
import { lookAfterTasks } from '../activities/lost-tasks.ts';
import { closeLeft } from '../activities/sessions.ts';
import type { TeamMember } from '../core/team.ts';
import { courierHere } from '../inbox/courier.ts';
import { cancelReminders } from '../reminders/reminder-source.ts';
import { describeError } from '../tools/tool-errors.ts';
import { strike } from './leave.ts';
import type { Seat, TeamPlace } from './place.ts';
import { changeMembership, changeTeam, readTeam } from './team-slot.ts';

/** How long one worker's end is waited for: a tool that does not stop must not hold up the others'. */
const endMs = 30_000;

/**
 * Ends a team: its members in their order, each with what is below it first. What a worker was doing is interrupted, and its last words are
 * in the leader's inbox when this resolves. Guests are let go.
 *
 * @returns what went wrong, for whoever asked.
 */
export async function endTeam(
  place: Pick<TeamPlace, 'store'>,
  leader: SessionRef,
  { turn, reason }: { turn: number; reason: string },
): Promise<string[]> {
  const team = await readTeam(place.store, leader);
  if (!team) return [];
  const faults: string[] = [];
  for (const member of team.members) faults.push(...(await release(place, { team, leader }, member, reason)));
  await changeTeam(place.store, leader, (now) =>
    now?.id === team.id
      ? { team: undefined, turn, events: [{ kind: 'team_changed', change: 'deleted', team: team.name }] }
      : { team: now },
  );
  return faults;
}

/** Ends one member, and takes it out of the team. */
export async function dismiss(
  place: Pick<TeamPlace, 'store'>,
  seat: Pick<Seat, 'team' | 'leader'>,
  member: TeamMember,
  { turn, reason }: { turn: number; reason: string },
): Promise<void> {
  await release(place, seat, member, reason);
  await strike(place.store, { ...seat, turn }, member);
}

async function release(
  place: Pick<TeamPlace, 'store'>,
  { team, leader }: Pick<Seat, 'team' | 'leader'>,
  member: TeamMember,
  reason: string,
): Promise<string[]> {
  const ref = { owner: leader.owner, sessionId: member.sessionId };
  // It may never have begun.
  if (!(await place.store.sessions.get(ref))) return [];
  const faults = await endMember(place, ref, member, reason);
  await changeMembership(place.store, ref, (now) => (now?.teamId === team.id ? undefined : now));
  // Only now: as long as it is a member, what it has begun may wake it.
  if (member.role === 'created') await endBegun(place, ref, reason);
  return faults;
}

/** What a worker has begun besides its turn: it must not act when its team is no more. */
async function endBegun({ store }: Pick<TeamPlace, 'store'>, ref: SessionRef, reason: string): Promise<void> {
  await cancelReminders(store, ref);
  await interruptTasks(courierHere(store).temporal, store, ref, reason);
  // Those that were ended from outside hear nothing.
  await lookAfterTasks({ store }, ref);
}

async function endMember(
  place: Pick<TeamPlace, 'store'>,
  ref: SessionRef,
  { name, role }: TeamMember,
  reason: string,
): Promise<string[]> {
  const { store } = place;
  if (role === 'invited') {
    await store.sessions.setLineage(ref, undefined);
    return [];
  }
  const turn = (await store.sessions.get(ref))?.lastTurn ?? 0;
  const below = await endTeam(place, ref, { turn, reason });
  const { temporal } = courierHere(store);
  try {
    await temporal.connection.withDeadline(Date.now() + endMs, () =>
      temporal.workflow.getHandle(sessionWorkflowId(ref)).executeUpdate(endUpdate, { args: [{ reason }] }),
    );
    return below;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) {
      // It has returned, and there is nothing to end; or it was ended from outside, and nobody closes its turn any more.
      const wasLost = await closeLeft({ store }, ref);
      return wasLost ? [...below, `${name} had been ended from outside in the middle of its work`] : below;
    }
    return [...below, `${name} did not end in time: ${describeError(error)}`];
  }
}
