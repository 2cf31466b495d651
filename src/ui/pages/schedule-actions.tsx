import { useState } from 'react';
import { changeSchedule } from '../api/queries.ts';
import { SubmitError } from '../gates/submit-error.tsx';
import { useSubmit } from '../gates/use-submit.ts';
import { tell } from '../parts/notices.tsx';

/** Run now, pause or resume, delete. */
export function ScheduleActions({ id, isPaused }: { id: string; isPaused: boolean }) {
  const [asked, setAsked] = useState<'delete' | 'kept'>();
  const submit = useSubmit();
  const change = (what: Parameters<typeof changeSchedule>[1], done: string): void =>
    submit.run(async () => {
      await changeSchedule(id, what);
      tell(`${id} ${done}`);
    });
  const name = <span className="unseen"> {id}</span>;
  return (
    <>
      {asked === 'delete' ? (
        <div className="buttons" role="group" aria-label={`Delete ${id}?`}>
          <button
            type="button"
            className="danger"
            disabled={submit.isBusy}
            onClick={() => change('delete', 'was deleted')}
          >
            Delete{name}
          </button>
          <button type="button" autoFocus onClick={() => setAsked('kept')}>
            Keep{name}
          </button>
        </div>
      ) : (
        <div className="buttons">
          <button
            type="button"
            disabled={submit.isBusy}
            onClick={() => change('trigger', 'was told to run now')}
          >
            Run now{name}
          </button>
          <button
            type="button"
            disabled={submit.isBusy}
            onClick={() => (isPaused ? change('resume', 'goes on') : change('pause', 'is paused'))}
          >
            {isPaused ? 'Resume' : 'Pause'}
            {name}
          </button>
          <button
            type="button"
            className="danger"
            autoFocus={asked === 'kept'}
            onClick={() => setAsked('delete')}
          >
            Delete …{name}
          </button>
        </div>
      )}
      <SubmitError error={submit.error} />
    </>
  );
}
