import { hangs, says, ScriptedModel, type Step } from '../../src/testing/index.ts';
import type { Figure } from '../support/figure.ts';
import { interleaved, median } from '../support/statistics.ts';

/** From `session.interrupt()` to the closed socket at the endpoint, which is in this process. */
export const interrupt: Figure = {
  name: 'interrupt',
  async measure(stage) {
    const model = await ScriptedModel.start();
    const taskQueue = stage.newTaskQueue();
    const worker = await stage.startWorker({ taskQueue, modelUrl: model.baseUrl });
    const client = await stage.clientOf(taskQueue);
    const session = client.session({ owner: 'bench', id: taskQueue, agent: 'usual' });

    const timeUntilClosed = async (step: Step): Promise<number> => {
      model.requests.length = 0;
      model.queue(step);
      const turn = await session.submit('Speak');
      const request = await model.waitForRequest();
      const begin = performance.timeOrigin + performance.now();
      await session.interrupt();
      await model.waitForAbort();
      const { finishReason } = await turn.result();
      if (finishReason !== 'interrupted') throw new Error(`${turn.id} ended as ${finishReason}`);
      return (request.endedAt ?? Number.NaN) - begin;
    };
    const times = await interleaved(stage.isQuick ? 1 : 7, {
      silent: () => timeUntilClosed(hangs({ before: 'firstToken' })),
      speaking: () => timeUntilClosed(says('word '.repeat(10_000), { fragment: 5, delayMs: 10 })),
    });
    await worker.stop();
    await model.stop();
    return [
      {
        figure: 'interrupt to the closed socket of a model that is silent',
        unit: 'ms',
        measured: median(times.silent),
        target: { atMost: 2000 },
      },
      {
        figure: 'interrupt to the closed socket of a model that speaks',
        unit: 'ms',
        measured: median(times.speaking),
        target: { atMost: 2000 },
      },
    ];
  },
};
