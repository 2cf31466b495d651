import { ApiError, messageOf } from '../../react/index.ts';

/** Why an answer was not taken, in the server's words. */
export function SubmitError({ error, id }: { error: unknown; id?: string }) {
  if (error === undefined) return null;
  const fields = error instanceof ApiError ? error.errors : [];
  return (
    <div className="submit-error" role="alert" id={id}>
      <p>{messageOf(error)}</p>
      {fields.length === 0 ? null : (
        <ul>
          {fields.map(({ path, message }) => (
            <li key={path}>
              <code>{path}</code>: {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
