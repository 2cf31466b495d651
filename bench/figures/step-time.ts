import type { Figure } from '../support/figure.ts';
import { durationOf } from '../support/history.ts';
import { compare, interleaved } from '../support/statistics.ts';
import { turnScript } from '../support/turn-script.ts';

/** By the server's clock, from a turn's start to its end. */
export const stepTime: Figure = {
  name: 'step-time',
  async measure(stage) {
    const [steps, rounds] = stage.isQuick ? [5, 1] : [50, 7];
    const perStep = async (workflowId: string) => (await durationOf(stage.temporal, workflowId)) / steps;
    const script = (bytes: number) => turnScript({ steps, bytes });
    const contenders = {
      small: async () => perStep(await stage.ours(script(32))),
      floor: async () => perStep(await stage.floor(script(32))),
      large: async () => perStep(await stage.ours(script(8192))),
      peer: async () => perStep(await stage.peer(script(8192))),
    };
    for (const contender of Object.values(contenders)) await contender();
    const times = await interleaved(rounds, contenders);
    return [
      {
        figure: `time per step, ${steps} steps`,
        unit: 'ms',
        ...compare(times.small, { name: 'bare Temporal', values: times.floor }),
        target: { atMost: 1.3 },
      },
      {
        figure: `time per step, ${steps} steps with results of 8 KB`,
        unit: 'ms',
        ...compare(times.large, { name: 'openai-agents', values: times.peer }),
        target: { atMost: 1 },
      },
    ];
  },
};
