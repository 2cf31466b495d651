import type { LetterInput } from '../contracts/activities.ts';
import type { SessionRef } from '../contracts/ids.ts';
import { removeMember, type Team, type TeamMember } from '../core/team.ts';
import type { SessionRecord, Store } from '../store/store.ts';
import { memberSeat } from './place.ts';
import { changeTeam, readTeam } from './team-slot.ts';

/** Takes a member off the roster: with it goes what it owed. */
export async function strike(
  store: Pick<Store, 'slots'>,
  { team: { id }, leader, turn }: { team: Pick<Team, 'id'>; leader: SessionRef; turn: number },
  { key, name, sessionId, agent, role }: TeamMember,
): Promise<void> {
  await changeTeam(store, leader, (now) => {
    const team = now?.id === id ? removeMember(now, key) : now;
    if (!team || team === now) return { team: now };
    const event = {
      kind: 'team_changed' as const,
      change: 'member_removed' as const,
      team: team.name,
      member: { name, sessionId, agent, role },
    };
    return { team, turn, events: [event] };
  });
}

/**
 * Takes a session that is about to be erased out of the team that it is a member of: first of all, so that nobody begins it again.
 *
 * @returns what its leader is to be told, the same for a repeat; undefined for a session that is in no team.
 */
export async function leaveErased(
  store: Store,
  { ref, createdAt }: Pick<SessionRecord, 'ref' | 'createdAt'>,
): Promise<LetterInput | undefined> {
  const seat = await memberSeat({ store, ref });
  if (!seat) return undefined;
  const { team, leader, me } = seat;
  const member = team.members.find(({ sessionId }) => sessionId === ref.sessionId);
  const turn = (await store.sessions.get(leader))?.lastTurn ?? 0;
  if (member) await strike(store, { team, leader, turn }, member);
  return {
    to: leader,
    message: {
      id: `erased/${ref.sessionId}/${createdAt}`,
      kind: 'team',
      from: { name: 'the team' },
      text: `${me} was erased, with all that it did: it is in the team no more, and no report of it will come.`,
    },
  };
}

/** Whether a session is there, and in the team of this leader. */
export async function isMember(store: Store, leader: SessionRef, member: SessionRef): Promise<boolean> {
  const { members = [] } = (await readTeam(store, leader)) ?? {};
  if (!members.some(({ sessionId }) => sessionId === member.sessionId)) return false;
  return (await store.sessions.get(member)) !== undefined;
}
