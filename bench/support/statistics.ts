import type { Row } from './figure.ts';

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  if (low === undefined || high === undefined) throw new Error('the median of nothing');
  return (low + high) / 2;
}

/** Runs several things in turn, `rounds` times (A B A B …), so that what else the machine does meets all of them alike. */
export async function interleaved<K extends string>(
  rounds: number,
  contenders: Record<K, () => Promise<number>>,
): Promise<Record<K, number[]>> {
  const names = Object.keys(contenders) as K[];
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<K, number[]>;
  for (let round = 0; round < rounds; round += 1)
    for (const name of names) results[name].push(await contenders[name]());
  return results;
}

/** What two contenders of `interleaved` came to. What slows the machine for a while slows both sides of a round: so each round has its ratio. */
export function compare(
  measured: readonly number[],
  against: { name: string; values: readonly number[] },
): Pick<Row, 'measured' | 'against' | 'ratio'> {
  return {
    measured: median(measured),
    against: { name: against.name, value: median(against.values) },
    ratio: median(measured.map((value, round) => value / (against.values[round] ?? Number.NaN))),
  };
}

/** The rise of `y` with `x`, by least squares. */
export function slope(points: readonly { x: number; y: number }[]): number {
  const mean = (of: (point: { x: number; y: number }) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
  return mean((point) => (point.x - x) * (point.y - y)) / mean((point) => (point.x - x) ** 2);
}
