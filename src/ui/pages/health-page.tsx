import { useHealth, useService } from '../api/queries.ts';
import { ListHead } from '../parts/list-head.tsx';
import { PageHeading } from '../parts/page-heading.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { Failure, Loading } from '../parts/states.tsx';

const names: Record<string, string> = { store: 'The store', temporal: 'Temporal' };

export function HealthPage() {
  const { data, error, refetch } = useHealth();
  const service = useService();
  return (
    <>
      <PageHeading title="Health" />
      {error ? <Failure error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error ? <Loading what="the health" /> : null}
      {data ? (
        <table className="list">
          <ListHead columns={['What', 'State']} />
          <tbody>
            <tr>
              <th scope="row">The service</th>
              <td>
                <StateBadge state={error ? 'unavailable' : data.status} />
              </td>
            </tr>
            {Object.entries(data.dependencies).map(([name, state]) => (
              <tr key={name}>
                <th scope="row">{names[name] ?? name}</th>
                <td>
                  <StateBadge state={state} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
      {service.data ? (
        <p className="quiet-text">
          You are {service.data.principal}, and work for {service.data.owner}:{' '}
          {service.data.scopes.join(', ')}.
          {service.data.temporalWeb ? (
            <>
              {' '}
              <a href={service.data.temporalWeb.url} target="_blank" rel="noopener noreferrer">
                Temporal Web
              </a>
            </>
          ) : null}
        </p>
      ) : null}
    </>
  );
}
