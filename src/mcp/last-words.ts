import { headOf } from '../core/head-of.ts';

const says =
  /error|exception|fatal|panic|fail|denied|refused|cannot|can't|not found|no such|missing|invalid/i;

/** Of what a program wrote before it ended: from the first line that says what is wrong, else the last lines. Whole ones, about `max` characters. */
export function lastWords(stderr: string, max: number): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const first = lines.findIndex((line) => says.test(line));
  return first < 0
    ? linesWithin(lines.toReversed(), max).toReversed().join('\n')
    : linesWithin(lines.slice(first), max).join('\n');
}

function linesWithin(lines: readonly string[], max: number): string[] {
  const taken: string[] = [];
  let rest = max;
  for (const line of lines) {
    if (line.length > rest) break;
    taken.push(line);
    rest -= line.length + 1;
  }
  const [first] = lines;
  return taken.length > 0 || first === undefined ? taken : [`${headOf(first, max)}…`];
}
