import { useState } from 'react';
import { cancelPipeline, usePipeline, usePipelines } from '../api/queries.ts';
import type { PipelineList, PipelineView } from '../api/types.ts';
import { SubmitError } from '../gates/submit-error.tsx';
import { useSubmit } from '../gates/use-submit.ts';
import { ListHead } from '../parts/list-head.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { Failure, Loading } from '../parts/states.tsx';
import { Moment } from '../parts/time.tsx';

/** Work of several agents that is data; nothing where there is none. */
export function Pipelines() {
  const { data } = usePipelines();
  if (!data || data.items.length === 0) return null;
  return (
    <>
      <h2>Pipelines</h2>
      <table className="list">
        <ListHead columns={['Pipeline', 'State', 'Began', 'Ended', 'Came to', { number: 'Change' }]} />
        <tbody>
          {data.items.map((pipeline) => (
            <Row key={pipeline.id} pipeline={pipeline} />
          ))}
        </tbody>
      </table>
      {data.isWhole ? null : <p className="quiet-text">There are more than these.</p>}
    </>
  );
}

function Row({ pipeline: { id, state, startedAt, endedAt } }: { pipeline: PipelineList['items'][number] }) {
  const submit = useSubmit();
  const [isOpen, setOpen] = useState(false);
  return (
    <tr>
      <th scope="row">{id}</th>
      <td>
        <StateBadge state={state} />
      </td>
      <td data-label="Began">
        <Moment at={startedAt} />
      </td>
      <td data-label="Ended">{endedAt === undefined ? '–' : <Moment at={endedAt} />}</td>
      <td>
        <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>
            {state === 'running' ? 'So far' : 'Outcome'}
            <span className="unseen"> of {id}</span>
          </summary>
          {isOpen ? <Outcome id={id} /> : null}
        </details>
      </td>
      <td className="actions">
        {state === 'running' ? (
          <div className="buttons">
            <button
              type="button"
              className="danger"
              disabled={submit.isBusy}
              onClick={() => submit.run(() => cancelPipeline(id))}
            >
              Cancel<span className="unseen"> {id}</span>
            </button>
          </div>
        ) : null}
        <SubmitError error={submit.error} />
      </td>
    </tr>
  );
}

function Outcome({ id }: { id: string }) {
  const { data, error } = usePipeline(id);
  if (error) return <Failure error={error} />;
  if (!data) return <Loading what="it" />;
  return <Came to={data} />;
}

function Came({ to: { turns, running, text = '', error, failures = [] } }: { to: PipelineView }) {
  return (
    <>
      {turns === undefined ? null : (
        <p className="quiet-text">
          {turns} turns answered{running === undefined || running === 0 ? '' : `, ${running} run`}
        </p>
      )}
      {error === undefined ? null : <p className="turn-error">{error}</p>}
      {text === '' ? null : <pre tabIndex={0}>{text}</pre>}
      {failures.map(({ place, what, message }) => (
        <p key={`${place} ${what}`} className="turn-error">
          {place}, {what}: {message}
        </p>
      ))}
    </>
  );
}
