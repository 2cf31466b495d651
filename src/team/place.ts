import type { Agent } from '../agents/agent.ts';
import type { SessionRef } from '../contracts/ids.ts';
import { TeamRuleError, type Team } from '../core/team.ts';
import type { Store } from '../store/store.ts';
import { readMembership, readTeam } from './team-slot.ts';

/** A team as one session sees it: the one that it leads, or the one that it is a member of. */
export interface Seat {
  team: Team;
  leader: SessionRef;
  /** This session's name in the team. */
  me: string;
}

/** What team tools work with. */
export interface TeamDesk {
  store: Store;
  agent: Agent;
}

/** The same, for a call of one session. */
export interface TeamPlace extends TeamDesk {
  ref: SessionRef;
}

export function placeAt(desk: TeamDesk, { owner, sessionId }: SessionRef): TeamPlace {
  return { ...desk, ref: { owner, sessionId } };
}

export async function ledSeat({ store, ref }: Pick<TeamPlace, 'store' | 'ref'>): Promise<Seat | undefined> {
  const team = await readTeam(store, ref);
  return team && { team, leader: ref, me: team.leader };
}

export async function memberSeat({
  store,
  ref,
}: Pick<TeamPlace, 'store' | 'ref'>): Promise<Seat | undefined> {
  const membership = await readMembership(store, ref);
  if (!membership) return undefined;
  const leader = { owner: ref.owner, sessionId: membership.leader };
  const team = await readTeam(store, leader);
  return team?.id === membership.teamId ? { team, leader, me: membership.name } : undefined;
}

export async function mustLead(place: Pick<TeamPlace, 'store' | 'ref'>): Promise<Seat> {
  const seat = await ledSeat(place);
  if (!seat) throw new TeamRuleError('you lead no team: create one with team_create first');
  return seat;
}

/** The session of a name in the team. */
export function sessionOf({ team, leader }: Seat, name: string): SessionRef {
  const member = team.members.find((other) => other.name === name);
  return member ? { owner: leader.owner, sessionId: member.sessionId } : leader;
}
