import { DiffView } from './diff-view.tsx';

/** Arguments as a person reads them: by name, long text in lines of its own, an edit as a diff. */
export function ArgumentsView({ json }: { json: string }) {
  const value = parse(json);
  if (value === undefined) return <pre tabIndex={0}>{json}</pre>;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return <pre tabIndex={0}>{pretty(value)}</pre>;
  const edit = editIn(value as Record<string, unknown>);
  const entries = Object.entries(value).filter(([name]) => name !== edit?.oldName && name !== edit?.newName);
  if (entries.length === 0 && !edit) return <p className="quiet-text">No arguments</p>;
  return (
    <>
      {entries.length === 0 ? null : (
        <dl className="arguments">
          {entries.map(([name, entry]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                {isLong(entry) ? <pre tabIndex={0}>{asText(entry)}</pre> : <code>{asText(entry)}</code>}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {edit ? <DiffView before={edit.before} after={edit.after} /> : null}
    </>
  );
}

/** `oldText` and `newText`, `old_string` and `new_string`, `before` and `after` …: what an edit takes out, and puts in. */
function editIn(value: Record<string, unknown>) {
  for (const [oldName, before] of Object.entries(value)) {
    const newName = /^old/i.test(oldName)
      ? oldName.replace(/^old/, 'new').replace(/^Old/, 'New')
      : oldName === 'before'
        ? 'after'
        : undefined;
    const after = newName === undefined ? undefined : value[newName];
    if (newName !== undefined && typeof before === 'string' && typeof after === 'string')
      return { oldName, newName, before, after };
  }
  return undefined;
}

function isLong(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\n') || value.length > 100;
  return typeof value === 'object' && value !== null;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : pretty(value);
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? '';
}

/** Undefined when it is no JSON: a model may write anything. */
export function parse(json: string): unknown {
  try {
    return json.trim() === '' ? {} : (JSON.parse(json) as unknown);
  } catch {
    return undefined;
  }
}

/** As an editor begins with it. */
export function prettyJson(json: string): string {
  const value = parse(json);
  return value === undefined ? json : pretty(value);
}
