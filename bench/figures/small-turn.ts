import type { Figure } from '../support/figure.ts';
import { bytesOf, eventsOf, runsOf } from '../support/history.ts';
import { turnScript } from '../support/turn-script.ts';

/** What a usual turn leaves in Temporal. */
export const smallTurn: Figure = {
  name: 'small-turn',
  async measure(stage) {
    const runs = await runsOf(stage.temporal, await stage.ours(turnScript({ steps: 2, calls: 2 })));
    const figure = 'history of a turn of two steps with two parallel calls each, and the answer';
    return [
      { figure, unit: 'events', measured: eventsOf(runs).length, target: { atMost: 45 } },
      { figure, unit: 'bytes', measured: bytesOf(runs), target: { atMost: 40_000 } },
    ];
  },
};
