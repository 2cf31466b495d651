import type { Figure } from '../support/figure.ts';
import { bytesOf, runsOf } from '../support/history.ts';
import { turnScript } from '../support/turn-script.ts';

/** History grows with the steps of a turn, and not with what its tools return. */
export const historySize: Figure = {
  name: 'history-size',
  async measure(stage) {
    const steps = stage.isQuick ? 10 : 50;
    const ours = async (count: number) =>
      bytesOf(await runsOf(stage.temporal, await stage.ours(turnScript({ steps: count }))));
    const [once, twice] = [await ours(steps), await ours(2 * steps)];
    const peer = bytesOf(await runsOf(stage.temporal, await stage.peer(turnScript({ steps }))));
    return [
      {
        figure: `history of ${2 * steps} steps with results of 8 KB`,
        unit: 'bytes',
        measured: twice,
        against: { name: `${steps} steps`, value: once },
        target: { atMost: 2.2 },
      },
      {
        figure: `history of ${steps} steps with results of 8 KB`,
        unit: 'bytes',
        measured: once,
        against: { name: 'openai-agents', value: peer },
        target: { atMost: 1 / 25 },
      },
    ];
  },
};
