import type { SessionRef } from '../contracts/ids.ts';
import type { Team } from '../core/team.ts';
import type { EventBody } from '../schema/event.ts';
import type { Json } from '../schema/message.ts';
import type { Store } from '../store/store.ts';

/** Of a leader's session: its team. */
const teamSlot = 'team';
/** Of a member's session: the team that it is in. */
const membershipSlot = 'membership';

/** What a member's session knows of its team. */
export interface Membership {
  /** The leader's session. */
  leader: string;
  leaderName: string;
  teamId: string;
  /** Its own name in the team. */
  name: string;
  /** The newest message of its leader that it owes a report of. */
  asked?: string;
  /** The turn in which it reported last, since it was asked. */
  reportedIn?: number;
  /** Reminders since it reported last, and the first turn of those that ended without a report. */
  reminders: number;
  unreportedSince?: number;
  /** The newest turn that was concluded, and what came of it: a repeat comes to the same. */
  concluded?: { turn: number; outcome: Json };
}

export async function readTeam(store: Pick<Store, 'slots'>, leader: SessionRef): Promise<Team | undefined> {
  return (await store.slots.get(leader, teamSlot)) as unknown as Team | undefined;
}

/**
 * Changes a leader's team in one transaction.
 *
 * @param change must be fast and pure; what it throws leaves the team as it is. The same team: nothing is written.
 */
export async function changeTeam(
  store: Pick<Store, 'slots'>,
  leader: SessionRef,
  change: (team: Team | undefined) => { team: Team | undefined; events?: EventBody[]; turn?: number },
): Promise<Team | undefined> {
  const value = await store.slots.update(leader, teamSlot, (now) => {
    const { team, events = [], turn = 0 } = change(now as unknown as Team | undefined);
    return {
      value: team as unknown as Json | undefined,
      ...(events.length === 0 ? {} : { events: { turn, bodies: events } }),
    };
  });
  return value as unknown as Team | undefined;
}

export async function readMembership(
  store: Pick<Store, 'slots'>,
  member: SessionRef,
): Promise<Membership | undefined> {
  return (await store.slots.get(member, membershipSlot)) as unknown as Membership | undefined;
}

export async function changeMembership(
  store: Pick<Store, 'slots'>,
  member: SessionRef,
  change: (now: Membership | undefined) => Membership | undefined,
): Promise<Membership | undefined> {
  const value = await store.slots.update(member, membershipSlot, (now) => ({
    value: change(now as unknown as Membership | undefined) as unknown as Json | undefined,
  }));
  return value as unknown as Membership | undefined;
}
