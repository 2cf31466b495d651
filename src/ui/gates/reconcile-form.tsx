import { useId, useState } from 'react';
import type { Gate } from '../api/types.ts';
import { answerGate } from './answer-gate.ts';
import { SubmitError } from './submit-error.tsx';
import { useSubmit } from './use-submit.ts';

/** What became of a call whose outcome was not recorded: its worker was lost, or the tool could not tell. */
export function ReconcileForm({ gate }: { gate: Gate }) {
  const id = useId();
  const [reason, setReason] = useState('');
  const [content, setContent] = useState('');
  const submit = useSubmit();
  const send = (outcome: 'happened' | 'did_not_happen'): void =>
    submit.run(() =>
      answerGate(gate, 'reconciliations', {
        outcome,
        reason,
        ...(outcome === 'happened' && content !== '' ? { content } : {}),
      }),
    );
  return (
    <form className="answer" onSubmit={(event) => event.preventDefault()}>
      <p>What came of this was not recorded. Find out whether it happened, then say so.</p>
      <label htmlFor={`${id}-reason`}>How you found out</label>
      <input id={`${id}-reason`} value={reason} onChange={({ target }) => setReason(target.value)} />
      <label htmlFor={`${id}-content`}>Its result, when it happened and is known</label>
      <input id={`${id}-content`} value={content} onChange={({ target }) => setContent(target.value)} />
      <div className="buttons">
        <button
          type="button"
          className="primary"
          disabled={submit.isBusy || reason.trim() === ''}
          onClick={() => send('happened')}
        >
          It happened
        </button>
        <button
          type="button"
          disabled={submit.isBusy || reason.trim() === ''}
          onClick={() => send('did_not_happen')}
        >
          It did not happen
        </button>
      </div>
      <SubmitError error={submit.error} />
    </form>
  );
}
