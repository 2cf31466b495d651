import { useId, useRef, useState, type FormEvent, type KeyboardEvent } from 'react';
import type { UseSession } from '../../react/index.ts';
import { SubmitError } from '../gates/submit-error.tsx';
import { useSubmit } from '../gates/use-submit.ts';

interface ComposerProps {
  session: Pick<UseSession, 'state' | 'send' | 'steer' | 'interrupt'>;
}

/** What one may say to a session: an input, a steer while a turn runs, a stop. */
export function Composer({ session }: ComposerProps) {
  const id = useId();
  const [text, setText] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const submit = useSubmit();
  const isBusy = session.state === 'running' || session.state === 'waiting';
  const say = (work: (input: string) => Promise<unknown>): void => {
    const input = text.trim();
    if (input === '') return;
    submit.run(async () => {
      await work(input);
      setText('');
      field.current?.focus();
    });
  };
  const send = (): void => say((input) => session.send(input, isBusy ? { ifBusy: 'queue' } : {}));
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    send();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form className="composer" onSubmit={onSubmit}>
      <label htmlFor={id} className="unseen">
        Message
      </label>
      <textarea
        id={id}
        ref={field}
        rows={2}
        value={text}
        placeholder={isBusy ? 'Steer the running turn, or queue a turn …' : 'Message … (Enter sends)'}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="buttons">
        <button type="submit" className="primary" disabled={submit.isBusy || text.trim() === ''}>
          {isBusy ? 'Queue' : 'Send'}
        </button>
        {isBusy ? (
          <>
            <button
              type="button"
              disabled={submit.isBusy || text.trim() === ''}
              onClick={() => say((input) => session.steer(input))}
            >
              Steer
            </button>
            <button
              type="button"
              className="danger"
              disabled={submit.isBusy}
              onClick={() => submit.run(() => session.interrupt('by the admin page'))}
            >
              Interrupt
            </button>
          </>
        ) : null}
      </div>
      <SubmitError error={submit.error} />
    </form>
  );
}
