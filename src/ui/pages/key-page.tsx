import { useId, useState } from 'react';
import { apiKey, giveKey } from '../api/key.ts';
import { useObservable } from '../api/observable.ts';
import { queryClient } from '../api/queries.ts';
import { PageHeading } from '../parts/page-heading.tsx';

/** Asks for the key that the server wants. It is kept for this tab only. */
export function KeyPage() {
  const id = useId();
  const [key, setKey] = useState('');
  const refused = useObservable(apiKey) !== undefined;
  return (
    <main className="key-page">
      <PageHeading title="An API key, please" tab="Key" />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          queryClient.clear();
          giveKey(key.trim());
        }}
      >
        {refused ? (
          <p className="submit-error" role="alert">
            The server does not take this key.
          </p>
        ) : null}
        <label htmlFor={id}>Key</label>
        <input
          id={id}
          type="password"
          autoComplete="off"
          required
          autoFocus
          value={key}
          onChange={({ target }) => setKey(target.value)}
        />
        <p className="quiet-text">
          It is kept until this tab is closed. Make one with <code>durascope keys create</code>.
        </p>
        <button type="submit" className="primary" disabled={key.trim() === ''}>
          Go on
        </button>
      </form>
    </main>
  );
}
