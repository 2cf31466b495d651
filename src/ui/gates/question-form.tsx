import { useId, useState } from 'react';
import type { Gate } from '../api/types.ts';
import { answerGate } from './answer-gate.ts';
import { DenyForm } from './confirm-form.tsx';
import { SubmitError } from './submit-error.tsx';
import { useSubmit } from './use-submit.ts';

type Question = NonNullable<Gate['question']>;

/** One of the options, an answer of one's own, or a secret; or none. */
export function QuestionForm({ gate, question }: { gate: Gate; question: Question }) {
  const id = useId();
  const [answer, setAnswer] = useState('');
  const [isRefusing, setRefusing] = useState(false);
  const submit = useSubmit();
  const { options = [], isFree, isSecret } = question;
  const named = question.id === undefined ? {} : { questionId: question.id };
  const send = (text: string): void =>
    submit.run(() => answerGate(gate, 'confirmations', { decision: 'allow', answer: text, ...named }));
  if (isRefusing)
    return (
      <DenyForm
        onCancel={() => setRefusing(false)}
        send={(reason) =>
          answerGate(gate, 'confirmations', {
            decision: 'deny',
            ...(reason === '' ? {} : { reason }),
            ...named,
          })
        }
      />
    );
  return (
    <div className="answer">
      {options.length === 0 ? null : (
        <ul className="options">
          {options.map(({ label, description }) => (
            <li key={label}>
              <button type="button" disabled={submit.isBusy} onClick={() => send(label)}>
                <strong>{label}</strong>
                {description === undefined ? null : <span> {description}</span>}
              </button>
            </li>
          ))}
        </ul>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send(answer);
        }}
      >
        {isFree || options.length === 0 ? (
          <>
            <label htmlFor={id}>{isSecret ? 'Your answer, a secret' : 'Your answer'}</label>
            <input
              id={id}
              type={isSecret ? 'password' : 'text'}
              autoComplete="off"
              required
              value={answer}
              onChange={({ target }) => setAnswer(target.value)}
            />
            {isSecret ? <p className="quiet-text">It stays out of the transcript, events and logs.</p> : null}
          </>
        ) : null}
        <div className="buttons">
          {isFree || options.length === 0 ? (
            <button type="submit" className="primary" disabled={submit.isBusy || answer === ''}>
              Answer
            </button>
          ) : null}
          <button type="button" className="danger" onClick={() => setRefusing(true)}>
            Give no answer
          </button>
        </div>
      </form>
      <SubmitError error={submit.error} />
    </div>
  );
}
