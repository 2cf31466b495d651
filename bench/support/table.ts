import { isMet, ratioOf, type Row } from './figure.ts';

const head = ['figure', 'measured', 'against', 'ratio', 'target', ''];

/** The rows as a Markdown table. `isJudged` is false where a run was too short for its targets. */
export function toTable(rows: readonly Row[], isJudged: boolean): string {
  const cells = rows.map((row) => [
    row.figure,
    `${inDigits(row.measured)} ${row.unit}`,
    row.against ? `${row.against.name} ${inDigits(row.against.value)} ${row.unit}` : '',
    ratioOf(row)?.toFixed(3) ?? '',
    targetOf(row),
    isJudged ? verdictOf(row) : '',
  ]);
  const widths = head.map((title, column) =>
    Math.max(title.length, ...cells.map((line) => line[column]?.length ?? 0)),
  );
  const toLine = (line: string[]) =>
    `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [toLine(head), toLine(widths.map((width) => '-'.repeat(width))), ...cells.map(toLine)].join('\n');
}

export function verdictOf(row: Row): 'ok' | 'MISS' {
  return isMet(row) ? 'ok' : 'MISS';
}

function targetOf(row: Row): string {
  const [sign, limit] = 'atMost' in row.target ? ['≤', row.target.atMost] : ['≥', row.target.atLeast];
  return row.against ? `${sign} ${inDigits(limit)}×` : `${sign} ${inDigits(limit)} ${row.unit}`;
}

function inDigits(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 3;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits });
}
