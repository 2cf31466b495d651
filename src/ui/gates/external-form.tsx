import { useId, useState } from 'react';
import type { Gate } from '../api/types.ts';
import { answerGate } from './answer-gate.ts';
import { SubmitError } from './submit-error.tsx';
import { useSubmit } from './use-submit.ts';

/** The result of a call that a system outside executes, typed by hand. */
export function ExternalForm({ gate }: { gate: Gate }) {
  const id = useId();
  const [content, setContent] = useState('');
  const submit = useSubmit();
  const send = (state: 'success' | 'error'): void =>
    submit.run(() => answerGate(gate, 'external-results', { state, content }));
  return (
    <details className="answer">
      <summary>Submit its result by hand</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send('success');
        }}
      >
        <label htmlFor={id}>Result of {gate.name}</label>
        <textarea
          id={id}
          rows={3}
          value={content}
          required
          onChange={({ target }) => setContent(target.value)}
        />
        <div className="buttons">
          <button type="submit" className="primary" disabled={submit.isBusy || content === ''}>
            Submit result
          </button>
          <button
            type="button"
            className="danger"
            disabled={submit.isBusy || content === ''}
            onClick={() => send('error')}
          >
            Submit as an error
          </button>
        </div>
      </form>
      <SubmitError error={submit.error} />
    </details>
  );
}
