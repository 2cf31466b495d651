import type { Stage } from './stage.ts';

/** What `npm run bench -- NAME` runs. */
export interface Figure {
  name: string;
  measure(stage: Stage): Promise<Row[]>;
}

export type Unit =
  'ms' | 's' | 'messages' | 'bytes' | 'MB' | 'events' | 'turns' | 'turns/s' | 'decisions/s' | 'reads' | '%';

/** One line of the table. */
export interface Row {
  figure: string;
  unit: Unit;
  measured: number;
  /** The floor or the peer, measured in the same run. */
  against?: { name: string; value: number };
  /** Of rounds that both ran in turn, the median of their ratios; else it is `measured / against`. */
  ratio?: number;
  /** A limit of the ratio where there is an `against`, else of `measured`. */
  target: { atMost: number } | { atLeast: number };
}

export function ratioOf({ measured, against, ratio }: Row): number | undefined {
  return ratio ?? (against && measured / against.value);
}

export function isMet(row: Row): boolean {
  const value = ratioOf(row) ?? row.measured;
  return 'atMost' in row.target ? value <= row.target.atMost : value >= row.target.atLeast;
}
