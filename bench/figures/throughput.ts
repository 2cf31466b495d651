import type { Figure } from '../support/figure.ts';
import { compare, interleaved } from '../support/statistics.ts';
import { turnScript } from '../support/turn-script.ts';

/** Many sessions at once; a turn has two steps with two parallel tool calls each, and then the answer. */
export const throughput: Figure = {
  name: 'throughput',
  async measure(stage) {
    const [width, turnsEach, rounds] = stage.isQuick ? [5, 1, 1] : [50, 3, 5];
    const script = () => turnScript({ steps: 2, calls: 2, bytes: 200 });
    const sessions = await Promise.all(
      Array.from({ length: width }, (_, place) => stage.session(`throughput-${place}`)),
    );
    const rate = async (turn: (place: number) => Promise<unknown>): Promise<number> => {
      const begin = performance.now();
      await Promise.all(
        sessions.map(async (_, place) => {
          for (let count = 0; count < turnsEach; count += 1) await turn(place);
        }),
      );
      return (1000 * width * turnsEach) / (performance.now() - begin);
    };
    const contenders = {
      ours: () =>
        rate(async (place) => {
          const turn = await sessions[place]!.submit(JSON.stringify(script()));
          const { finishReason } = await turn.result();
          if (finishReason !== 'model_stop') throw new Error(`${turn.id} ended as ${finishReason}`);
        }),
      floor: () => rate(() => stage.floor(script())),
    };
    await contenders.ours();
    await contenders.floor();
    const rates = await interleaved(rounds, contenders);
    return [
      {
        figure: `turns of ${width} sessions at once`,
        unit: 'turns/s',
        ...compare(rates.ours, { name: 'bare Temporal', values: rates.floor }),
        target: { atLeast: 0.75 },
      },
    ];
  },
};
