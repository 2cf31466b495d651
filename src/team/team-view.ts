import type { SessionRef } from '../contracts/ids.ts';
import type { Team, TeamLimits } from '../core/team.ts';
import type { FinishReason } from '../schema/message.ts';
import type { SessionState, Store } from '../store/store.ts';

/** A team as people and programs look at it. */
export interface TeamView {
  name: string;
  description: string;
  /** The leader's session, and its name in the team. */
  leaderSession: string;
  leader: string;
  members: MemberView[];
  /** What was used of the limits. */
  counts: { messages: number; turns: number };
  limits: TeamLimits;
}

export interface MemberView {
  name: string;
  description: string;
  sessionId: string;
  agent: string;
  role: 'created' | 'invited';
  state: SessionState;
  /** Of its newest turn, once that has ended. */
  finishReason?: FinishReason;
}

export async function viewTeam(
  store: Pick<Store, 'sessions' | 'turns'>,
  leader: SessionRef,
  team: Team,
): Promise<TeamView> {
  const { name, description, counts, limits } = team;
  return {
    name,
    description,
    leaderSession: leader.sessionId,
    leader: team.leader,
    members: await Promise.all(
      team.members.map(async ({ name, description, sessionId, agent, role }): Promise<MemberView> => {
        const ref = { owner: leader.owner, sessionId };
        const session = await store.sessions.get(ref);
        const last =
          session && session.lastTurn > 0 ? await store.turns.get(ref, session.lastTurn) : undefined;
        const { finishReason } = last ?? {};
        return {
          name,
          description,
          sessionId,
          agent,
          role,
          state: session?.state ?? 'idle',
          ...(finishReason === undefined ? {} : { finishReason }),
        };
      }),
    ),
    counts,
    limits,
  };
}

const states: Record<SessionState, string> = {
  idle: 'idle',
  running: 'at work',
  waiting: 'waits for a person or a system',
};

/** As a model reads it. */
export function describeTeam(view: TeamView): string {
  const members = view.members.map(({ name, agent, description, state, finishReason }) => {
    const last = state === 'idle' && finishReason !== undefined ? ` (last turn: ${finishReason})` : '';
    return `- ${name} (${agent}): ${states[state]}${last}. ${description}`;
  });
  const { counts, limits } = view;
  return [
    `Team ${view.name}: ${view.description}`,
    `Leader: ${view.leader}`,
    ...(members.length === 0 ? ['No members yet.'] : members),
    `Used: ${counts.messages} of ${limits.messages} messages, ${counts.turns} of ${limits.turns} turns, ${members.length} of ${limits.members} members.`,
  ].join('\n');
}
