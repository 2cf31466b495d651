import { parseArgs } from 'node:util';
import { figures } from './figures.ts';
import { isMet, ratioOf, type Row } from './support/figure.ts';
import { openStage } from './support/stage.ts';
import { toTable } from './support/table.ts';

const usage = `npm run bench [-- [NAME …] [--json] [--quick]]

Measures the figures that are named, or all: ${figures.map(({ name }) => name).join(', ')}
  --json    one JSON array instead of the table
  --quick   a short run that only shows that all of it works: its numbers mean nothing
Ends with code 1 when a target was missed.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const unknown = positionals.find((name) => !figures.some((figure) => figure.name === name));
if (values.help || unknown !== undefined) {
  console.log(unknown === undefined ? usage : `There is no figure ${unknown}.\n\n${usage}`);
  process.exit(unknown === undefined ? 0 : 2);
}

const chosen = figures.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const stage = await openStage(values.quick);
const rows: Row[] = [];
try {
  for (const figure of chosen) {
    const begin = performance.now();
    rows.push(...(await figure.measure(stage)));
    console.error(`${figure.name}: ${((performance.now() - begin) / 1000).toFixed(0)} s`);
  }
} finally {
  await stage.close();
}
if (values.json)
  console.log(
    JSON.stringify(
      rows.map((row) => ({ ...row, ratio: ratioOf(row), isMet: isMet(row) })),
      null,
      2,
    ),
  );
else console.log(toTable(rows, !values.quick));
process.exitCode = values.quick || rows.every(isMet) ? 0 : 1;
