import { bundleSize } from './figures/bundle-size.ts';
import { contextAssembly } from './figures/context-assembly.ts';
import { firstToken } from './figures/first-token.ts';
import { gates } from './figures/gates.ts';
import { historySize } from './figures/history-size.ts';
import { interrupt } from './figures/interrupt.ts';
import { longSession } from './figures/long-session.ts';
import { longTurn } from './figures/long-turn.ts';
import { memory } from './figures/memory.ts';
import { service } from './figures/service.ts';
import { smallTurn } from './figures/small-turn.ts';
import { stepTime } from './figures/step-time.ts';
import { teams } from './figures/teams.ts';
import { tools } from './figures/tools.ts';
import { throughput } from './figures/throughput.ts';
import type { Figure } from './support/figure.ts';

/** In the order in which they run. */
export const figures: readonly Figure[] = [
  bundleSize,
  contextAssembly,
  historySize,
  smallTurn,
  firstToken,
  interrupt,
  stepTime,
  throughput,
  longTurn,
  longSession,
  memory,
  gates,
  service,
  tools,
  teams,
];
