import { useMemo, useSyncExternalStore } from 'react';
import { SessionFollower, useFollower } from '../../react/index.ts';
import { connection } from '../api/connection.ts';
import { useService, useTurns } from '../api/queries.ts';
import { PageHeading } from '../parts/page-heading.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { tokens } from '../parts/time.tsx';
import { Link, sessionHref } from '../parts/router.tsx';
import { Timeline } from '../session/timeline.tsx';
import { turnBars } from '../session/turn-bars.ts';

/** One turn as a timeline. */
export function TurnPage({ sessionId, turn }: { sessionId: string; turn: number }) {
  const follower = useMemo(() => new SessionFollower(connection, { sessionId }), [sessionId]);
  const { events, state, error, session } = useFollower(follower);
  const turns = useTurns(sessionId, events, session !== undefined);
  const service = useService();
  const record = turns.data?.items.find((one) => one.turn === turn);
  const own = useMemo(() => events.filter(({ turnId }) => turnId.endsWith(`/${turn}`)), [events, turn]);
  const bars = useMemo(() => turnBars(own), [own]);
  const now = useNow(record?.state !== 'ended');
  const web = service.data?.temporalWeb;
  const turnId = own[0]?.turnId ?? record?.turnId;
  return (
    <>
      <PageHeading title={`Turn ${turn}`} tab={`Turn ${turn} of ${sessionId}`}>
        <p className="session-line">
          <Link href={sessionHref(sessionId)}>{sessionId}</Link>
          {record ? (
            <>
              <StateBadge
                state={record.state === 'ended' ? (record.finishReason ?? 'ended') : record.state}
              />
              <span>
                {tokens(record.usage.inputTokens)} tokens in, {tokens(record.usage.outputTokens)} out
              </span>
              <span>revision {record.revision.slice(0, 8)}</span>
            </>
          ) : null}
          {web && turnId !== undefined ? (
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
      {error ? (
        <Failure error={error} />
      ) : bars.length > 0 ? (
        <Timeline bars={bars} now={now} />
      ) : state === 'loading' || (session && turn <= session.turn) ? (
        <Loading what="the turn" />
      ) : (
        <Empty title="There is no such turn" />
      )}
    </>
  );
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
