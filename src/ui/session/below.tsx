import { useMemo } from 'react';
import type { AgentEvent } from '../../schema/event.ts';
import { useChildren } from '../api/queries.ts';
import type { SessionSummary, TeamView } from '../api/types.ts';
import { StateBadge } from '../parts/state-badge.tsx';
import { Link, sessionHref } from '../parts/router.tsx';

interface BelowProps {
  sessionId: string;
  facts: readonly AgentEvent[];
  team: TeamView | null;
}

/** Sessions that work for this one besides the members of its team: subagents and theirs, with what was last heard of each. */
export function Below({ sessionId: leader, facts, team }: BelowProps) {
  const children = useChildren(leader, facts).data?.items;
  const heard = useMemo(() => sessionsBelow(facts), [facts]);
  const members = new Set(team?.members.map(({ sessionId }) => sessionId));
  const found = new Map([...(children ?? []).map(toBelow), ...heard].map((one) => [one.sessionId, one]));
  const sessions = [...found.values()].filter(({ sessionId }) => !members.has(sessionId));
  if (sessions.length === 0) return null;
  return (
    <section aria-labelledby="below" className="panel">
      <h2 id="below">Below</h2>
      <ul className="plain">
        {sessions.map(({ sessionId, path, state }) => (
          <li key={sessionId}>
            <Link href={sessionHref(sessionId)}>{path.join(' › ')}</Link> <StateBadge state={state} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface SessionBelow {
  sessionId: string;
  path: readonly string[];
  state: string;
}

function toBelow({ sessionId, lineage, state }: SessionSummary): SessionBelow {
  return { sessionId, path: [lineage?.name ?? sessionId], state };
}

function sessionsBelow(facts: readonly AgentEvent[]): SessionBelow[] {
  const found = new Map<string, SessionBelow>();
  for (const event of facts) {
    if (!event.path) continue;
    const { sessionId, path } = event;
    const state =
      event.kind === 'turn_end'
        ? event.finishReason
        : event.kind.startsWith('require_')
          ? 'waiting'
          : 'running';
    found.set(sessionId, { sessionId, path, state });
  }
  return [...found.values()];
}
