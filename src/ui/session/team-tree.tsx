import type { TeamView } from '../api/types.ts';
import { StateBadge } from '../parts/state-badge.tsx';
import { Link, sessionHref } from '../parts/router.tsx';

/** The leader, and its members below. */
export function TeamTree({ team, sessionId }: { team: TeamView; sessionId: string }) {
  return (
    <>
      <p>{team.description}</p>
      <ul className="team">
        <li>
          {team.leaderSession === sessionId ? (
            <strong>{team.leader}</strong>
          ) : (
            <Link href={sessionHref(team.leaderSession)}>{team.leader}</Link>
          )}{' '}
          <span className="quiet-text">leads {team.name}</span>
          <ul>
            {team.members.map((member) => (
              <li key={member.sessionId}>
                {member.sessionId === sessionId ? (
                  <strong>{member.name}</strong>
                ) : (
                  <Link href={sessionHref(member.sessionId)}>{member.name}</Link>
                )}{' '}
                <StateBadge state={member.state} />
                <span className="quiet-text"> {member.agent}</span>
              </li>
            ))}
          </ul>
        </li>
      </ul>
      <p className="quiet-text">
        {team.counts.messages} of {team.limits.messages} messages, {team.counts.turns} of {team.limits.turns}{' '}
        turns
      </p>
    </>
  );
}
