import { money } from '../api/cost.ts';
import { useUsage } from '../api/queries.ts';
import type { DayUsage } from '../api/types.ts';
import { DayChart } from '../parts/day-chart.tsx';
import { ListHead } from '../parts/list-head.tsx';
import { PageHeading } from '../parts/page-heading.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { tokens } from '../parts/time.tsx';

export function UsagePage() {
  const { data, error, refetch } = useUsage();
  return (
    <>
      <PageHeading title="Usage">
        <p className="quiet-text">Of turns that ended in the last thirty days (UTC).</p>
      </PageHeading>
      {error ? <Failure error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error ? <Loading what="usage" /> : null}
      {data?.length === 0 ? <Empty title="No turn has ended in these days" /> : null}
      {data && data.length > 0 ? <Charts days={data} /> : null}
    </>
  );
}

function Charts({ days }: { days: readonly DayUsage[] }) {
  const hasCost = days.some(({ cost }) => cost !== undefined);
  const agents = groupBy(days, ({ agent }) => agent);
  return (
    <>
      <div className="charts">
        <DayChart
          title="Input tokens"
          values={perDay(days, ({ usage }) => usage.inputTokens)}
          format={tokens}
        />
        <DayChart
          title="Output tokens"
          values={perDay(days, ({ usage }) => usage.outputTokens)}
          format={tokens}
        />
        <DayChart title="Turns" values={perDay(days, ({ turns }) => turns)} format={String} />
        {hasCost ? (
          <DayChart title="Cost" values={perDay(days, ({ cost = 0 }) => cost)} format={money} />
        ) : null}
      </div>
      <h2>By agent</h2>
      <table className="list">
        <ListHead
          columns={[
            'Agent',
            { number: 'Turns' },
            { number: 'Tokens in' },
            { number: 'Tokens out' },
            ...(hasCost ? [{ number: 'Cost' }] : []),
          ]}
        />
        <tbody>
          {[...agents].map(([agent, rows]) => (
            <tr key={agent}>
              <th scope="row">{agent}</th>
              <td className="number" data-label="Turns">
                {sum(rows, ({ turns }) => turns)}
              </td>
              <td className="number" data-label="Tokens in">
                {tokens(sum(rows, ({ usage }) => usage.inputTokens))}
              </td>
              <td className="number" data-label="Tokens out">
                {tokens(sum(rows, ({ usage }) => usage.outputTokens))}
              </td>
              {hasCost ? (
                <td className="number" data-label="Cost">
                  {money(sum(rows, ({ cost = 0 }) => cost))}
                </td>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function perDay(days: readonly DayUsage[], valueOf: (day: DayUsage) => number): [string, number][] {
  return [...groupBy(days, ({ day }) => day)].map(([day, rows]) => [day, sum(rows, valueOf)]);
}

function sum<T>(items: readonly T[], valueOf: (item: T) => number): number {
  return items.reduce((total, item) => total + valueOf(item), 0);
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
