import { useSchedules } from '../api/queries.ts';
import type { ScheduleList } from '../api/types.ts';
import { ListHead } from '../parts/list-head.tsx';
import { PageHeading } from '../parts/page-heading.tsx';
import { Link, sessionHref } from '../parts/router.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { Moment, duration } from '../parts/time.tsx';
import { Pipelines } from './pipeline-table.tsx';
import { ScheduleActions } from './schedule-actions.tsx';

type Schedule = ScheduleList['items'][number];

export function SchedulesPage() {
  const { data, error, refetch } = useSchedules();
  return (
    <>
      <PageHeading title="Schedules" />
      {error ? <Failure error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error ? <Loading what="schedules" /> : null}
      {data?.items.length === 0 ? (
        <Empty title="There are no schedules">
          <p>
            A schedule runs an agent at set times: make one with <code>durascope schedule</code>.
          </p>
        </Empty>
      ) : null}
      {data && data.items.length > 0 ? <ScheduleTable schedules={data.items} /> : null}
      {data && !data.isWhole ? <p className="quiet-text">There are more than these.</p> : null}
      <Pipelines />
    </>
  );
}

function ScheduleTable({ schedules }: { schedules: readonly Schedule[] }) {
  return (
    <table className="list">
      <ListHead columns={['Schedule', 'State', 'Agent', 'When', 'Next', 'Last', { number: 'Change' }]} />
      <tbody>
        {schedules.map(({ id, agent, cron, everyMs, isPaused, note, nextRuns: [next], lastRun }) => (
          <tr key={id}>
            <th scope="row">{id}</th>
            <td>
              <StateBadge state={isPaused ? 'paused' : 'active'} />
              {note === undefined ? null : <span className="quiet-text"> {note}</span>}
            </td>
            <td data-label="Agent">{agent}</td>
            <td data-label="When">
              {cron ? (
                <code>{cron.join(' · ')}</code>
              ) : everyMs === undefined ? (
                '–'
              ) : (
                `every ${duration(everyMs)}`
              )}
            </td>
            <td data-label="Next">{next === undefined ? '–' : <Moment at={next} />}</td>
            <td data-label="Last">{lastRun ? <LastRun run={lastRun} /> : '–'}</td>
            <td className="actions">
              <ScheduleActions id={id} isPaused={isPaused} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function LastRun({ run: { at, sessionId, state, error } }: { run: NonNullable<Schedule['lastRun']> }) {
  return (
    <>
      <StateBadge state={state} />{' '}
      <Link href={sessionHref(sessionId)}>
        <Moment at={at} />
      </Link>
      {error === undefined ? null : <span className="quiet-text"> {error}</span>}
    </>
  );
}
