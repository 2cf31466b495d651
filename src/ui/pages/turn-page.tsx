import { useMemo, useSyncExternalStore } from 'react';
import type { AgentEvent } from '../../schema/event.ts';
import { money, useCosts } from '../api/cost.ts';
import { useService } from '../api/queries.ts';
import { PageHeading } from '../parts/page-heading.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { tokens } from '../parts/time.tsx';
import { Link, sessionHref } from '../parts/router.tsx';
import { Timeline } from '../session/timeline.tsx';
import { turnBars, turnTokens } from '../session/turn-bars.ts';
import { useTurnEvents } from '../session/use-turn-events.ts';

/** One turn as a timeline. */
export function TurnPage({ sessionId, turn }: { sessionId: string; turn: number }) {
  const { data: service, error: unknownService } = useService();
  const turnId = service && `turn/${service.owner}/${sessionId}/${turn}`;
  const { events, error } = useTurnEvents(turnId);
  const costs = useCosts();
  const bars = useMemo(() => turnBars(events), [events]);
  const state = stateOf(events);
  const now = useNow(!events.some(({ kind }) => kind === 'turn_end'));
  const web = service?.temporalWeb;
  const failure = error ?? (service ? null : unknownService);
  return (
    <>
      <PageHeading title={`Turn ${turn}`} tab={`Turn ${turn} of ${sessionId}`}>
        <p className="session-line">
          <Link href={sessionHref(sessionId)}>{sessionId}</Link>
          {state === undefined ? null : <StateBadge state={state} />}
          {events.length > 0 ? <Spent events={events} /> : null}
          {web && turnId !== undefined && events.length > 0 ? (
            <a
              href={`${web.url}/namespaces/${encodeURIComponent(web.namespace)}/workflows/${encodeURIComponent(turnId)}`}
              target="_blank"
              rel="noopener noreferrer"
            >
              In Temporal Web
            </a>
          ) : null}
        </p>
      </PageHeading>
      {error?.status === 404 ? (
        <Empty title="There is no such turn">
          <p>
            <Link href={sessionHref(sessionId)}>Go to the session</Link>
          </p>
        </Empty>
      ) : failure ? (
        <Failure error={failure} />
      ) : bars.length > 0 ? (
        <Timeline bars={bars} now={now} costs={costs} />
      ) : (
        <Loading what="the turn" />
      )}
    </>
  );
}

/** Tokens and cost so far, and the agent's revision. */
function Spent({ events }: { events: readonly AgentEvent[] }) {
  const { ofModel } = useCosts();
  const { inputTokens, outputTokens, cost } = useMemo(() => turnTokens(events, ofModel), [events, ofModel]);
  const start = events.find((event) => event.kind === 'turn_start');
  return (
    <>
      <span>
        {tokens(inputTokens)} tokens in, {tokens(outputTokens)} out
      </span>
      {cost === undefined ? null : <span>cost {money(cost)}</span>}
      {start ? (
        <span>
          {start.agent}, revision {start.revision.slice(0, 8)}
        </span>
      ) : null}
    </>
  );
}

function stateOf(events: readonly AgentEvent[]): string | undefined {
  const last = events.findLast(({ kind }) => /^(turn|run)_/.test(kind));
  switch (last?.kind) {
    case undefined:
      return undefined;
    case 'turn_end':
      return last.finishReason;
    case 'run_end':
      return 'waiting';
    default:
      return 'running';
  }
}

/** The time, each second while `isLive`. */
function useNow(isLive: boolean): number {
  return useSyncExternalStore(
    (listener) => {
      if (!isLive) return () => undefined;
      const timer = setInterval(listener, 1_000);
      return () => clearInterval(timer);
    },
    () => Math.floor(Date.now() / 1_000) * 1_000,
  );
}
