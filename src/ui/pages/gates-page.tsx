import { useGates } from '../api/queries.ts';
import { GateList } from '../gates/gate-list.tsx';
import { PageHeading } from '../parts/page-heading.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';

/** Everything that waits for a person or a system. */
export function GatesPage() {
  const { data, error, refetch } = useGates();
  const count = data?.items.length ?? 0;
  return (
    <>
      <PageHeading title="Gates" tab={count > 0 ? `(${count}) Gates` : 'Gates'}>
        <p className="quiet-text">Calls that wait for a person or a system, oldest first.</p>
      </PageHeading>
      {data ? (
        count > 0 ? (
          <GateList gates={data.items} />
        ) : (
          <Empty title="Nothing waits">
            <p>Calls that need an approval appear here by themselves.</p>
          </Empty>
        )
      ) : error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <Loading what="gates" />
      )}
      {data?.nextCursor === undefined ? null : (
        <p className="quiet-text">There are more: they come up as these are answered.</p>
      )}
    </>
  );
}
