import { diffLines } from 'diff';

/** What goes and what comes, line by line; long stretches that stay are left out. */
export function DiffView({ before, after }: { before: string; after: string }) {
  const parts = diffLines(before, after);
  return (
    <pre className="diff" tabIndex={0} aria-label="Changes">
      {parts.map(({ added, removed, value }, index) => {
        if (added) return <ins key={index}>{marked(value, '+')}</ins>;
        if (removed) return <del key={index}>{marked(value, '-')}</del>;
        return <span key={index}>{marked(shortened(value), ' ')}</span>;
      })}
    </pre>
  );
}

const kept = 3;

function shortened(text: string): string {
  const lines = text.replace(/\n$/, '').split('\n');
  if (lines.length <= 2 * kept + 1) return text;
  const left = lines.length - 2 * kept;
  return [...lines.slice(0, kept), `… ${left} lines as they are …`, ...lines.slice(-kept), ''].join('\n');
}

function marked(text: string, sign: string): string {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `${sign} ${line}\n`)
    .join('');
}
