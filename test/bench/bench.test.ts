import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { figures } from '../../bench/figures.ts';
import { isMet, ratioOf, type Row } from '../../bench/support/figure.ts';
import { compare, median, slope } from '../../bench/support/statistics.ts';
import { toTable } from '../../bench/support/table.ts';
import { sharedTemporal } from '../support/temporal.ts';

const run = fileURLToPath(new URL('../../bench/run.ts', import.meta.url));

function bench(...args: string[]): Promise<{ code: number | null; output: string }> {
  const env = { ...process.env, TEMPORAL_ADDRESS: sharedTemporal().address };
  const child = spawn(process.execPath, [run, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
}

describe('npm run bench', () => {
  it('measures for real, with the floor beside it', async () => {
    // A part of them: each figure more starts workers more, and the peer's packages are installed by the first full run only.
    const names = ['bundle-size', 'context-assembly', 'small-turn', 'throughput'];
    const { code, output } = await bench('--quick', '--json', ...names);
    expect(code).toBe(0);
    const rows = JSON.parse(output) as Row[];
    expect(rows.length).toBeGreaterThanOrEqual(names.length);
    for (const { figure, measured } of rows) expect(measured, figure).toEqual(expect.any(Number));
    const events = rows.find(({ unit }) => unit === 'events');
    expect(events && isMet(events)).toBe(true);
  }, 180_000);

  it('names the figures when one is asked for that is not there', async () => {
    const { code, output } = await bench('speed');
    expect(code).toBe(2);
    expect(output).toContain('There is no figure speed.');
    expect(output).toContain(figures[0]?.name);
  });
});

describe('a row', () => {
  const row: Row = {
    figure: 'time per step',
    unit: 'ms',
    measured: 39,
    against: { name: 'bare Temporal', value: 30 },
    target: { atMost: 1.3 },
  };

  it('is judged by its ratio where it has something to stand against, else by what was measured', () => {
    expect(ratioOf(row)).toBe(1.3);
    expect(isMet(row)).toBe(true);
    expect(isMet({ ...row, measured: 40 })).toBe(false);
    const { against: _, ...alone } = row;
    expect(isMet({ ...alone, target: { atLeast: 40 } })).toBe(false);
  });

  it('takes the median ratio of rounds, so that one slow round does not decide', () => {
    const compared = compare([10, 100, 12], { name: 'floor', values: [10, 10, 10] });
    expect(compared.ratio).toBe(1.2);
  });

  it('is shown with its verdict, and without one when the run was too short', () => {
    expect(toTable([{ ...row, measured: 60 }], true)).toMatch(
      /60 ms .*bare Temporal 30 ms.* 2.000 .*≤ 1.3× .*MISS/,
    );
    expect(toTable([{ ...row, measured: 60 }], false)).not.toContain('MISS');
  });
});

describe('statistics', () => {
  it('takes the middle value, or the mean of the two in the middle', () => {
    expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5]);
  });

  it('finds the trend of points', () => {
    expect(slope([1, 2, 3].map((x) => ({ x, y: 5 + 2 * x })))).toBeCloseTo(2);
  });
});
