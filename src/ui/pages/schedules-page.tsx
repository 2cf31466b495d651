import { ApiError } from '../../react/index.ts';
import { useSchedules } from '../api/queries.ts';
import { PageHeading } from '../parts/page-heading.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';
import { Link, sessionHref } from '../parts/router.tsx';

export function SchedulesPage() {
  const { data, error, refetch } = useSchedules();
  const hasNone = error instanceof ApiError && error.status === 404;
  return (
    <>
      <PageHeading title="Schedules" />
      {hasNone || data?.length === 0 ? (
        <Empty title="There are no schedules">
          <p>A schedule begins a turn of an agent at set times.</p>
        </Empty>
      ) : error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : data ? null : (
        <Loading what="schedules" />
      )}
      {data && data.length > 0 ? (
        <table className="list">
          <thead>
            <tr>
              <th scope="col">Schedule</th>
              <th scope="col">Agent</th>
              <th scope="col">Next</th>
            </tr>
          </thead>
          <tbody>
            {data.map(({ id, agent, sessionId, nextAt }) => (
              <tr key={id}>
                <th scope="row">{sessionId ? <Link href={sessionHref(sessionId)}>{id}</Link> : id}</th>
                <td data-label="Agent">{agent}</td>
                <td data-label="Next">{nextAt === undefined ? '–' : <Ago at={nextAt} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
    </>
  );
}
