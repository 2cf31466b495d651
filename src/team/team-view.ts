import type { Client } from '@temporalio/client';
import { sessionWorkflowId, type SessionRef } from '../contracts/ids.ts';
import type { Team, TeamLimits } from '../core/team.ts';
import type { FinishReason } from '../schema/message.ts';
import { isWorkflowOpen } from '../inbox/is-open.ts';
import type { SessionRecord, SessionState, Store } from '../store/store.ts';

const answerMs = 2_000;

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
  /** `lost`: what it did was ended from outside. Its leader is told, and then it is idle. */
  state: SessionState | 'lost';
  /** Of its newest turn, once that has ended. */
  finishReason?: FinishReason;
}

export async function viewTeam(
  { store, temporal }: { store: Pick<Store, 'sessions' | 'turns'>; temporal: Client },
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
          state: await stateOf(temporal, session),
          ...(finishReason === undefined ? {} : { finishReason }),
        };
      }),
    ),
    counts,
    limits,
  };
}

/** A workflow that was ended from outside could not say so in the store. */
async function stateOf(temporal: Client, session: SessionRecord | undefined): Promise<MemberView['state']> {
  if (!session || session.state === 'idle') return 'idle';
  const isOpen = await temporal.connection
    .withDeadline(Date.now() + answerMs, () => isWorkflowOpen(temporal, sessionWorkflowId(session.ref)))
    // The store alone answers where Temporal does not.
    .catch(() => true);
  return isOpen ? session.state : 'lost';
}

const states: Record<MemberView['state'], string> = {
  idle: 'idle',
  running: 'at work',
  waiting: 'waits for a person or a system',
  lost: 'lost: what it did was ended from outside',
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
