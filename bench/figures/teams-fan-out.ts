import type { Row } from '../support/figure.ts';
import type { Stage } from '../support/stage.ts';
import { compare, interleaved } from '../support/statistics.ts';
import { turnScript } from '../support/turn-script.ts';

const limit = 10;

/** Many subagents at once, each with one model call of a second: as turns, and as activities of one bare workflow. */
export async function fanOutTime(stage: Stage): Promise<Row> {
  const [items, thinkMs, rounds] = stage.isQuick ? [10, 10, 1] : [100, 1000, 3];
  const client = await stage.client();
  const floorQueue = await stage.floorQueue();
  const inputs = () =>
    Array.from({ length: items }, () => JSON.stringify(turnScript({ steps: 0, calls: 0, thinkMs })));
  const timed = async (run: () => Promise<unknown>): Promise<number> => {
    const begin = performance.now();
    await run();
    return performance.now() - begin;
  };
  const contenders = {
    ours: () =>
      timed(async () => {
        const pipeline = await client.pipelines.start({
          owner: 'bench',
          id: stage.newName(),
          input: 'all of these',
          flow: {
            kind: 'fan_out',
            items: inputs(),
            body: { kind: 'turn', agent: 'usual' },
            concurrency: limit,
          },
        });
        const { state, turns, error } = await pipeline.result();
        if (state !== 'done' || turns !== items) throw new Error(`the fan-out ended as ${state}: ${error}`);
      }),
    floor: () =>
      timed(() =>
        stage.temporal.workflow.execute('bareFanOut', {
          workflowId: stage.newName(),
          taskQueue: floorQueue,
          args: [stage.modelUrl, inputs(), limit],
        }),
      ),
  };
  await contenders.ours();
  await contenders.floor();
  const times = await interleaved(rounds, contenders);
  return {
    figure: `fan-out of ${items} subagents, ${limit} at a time, a model call of ${thinkMs / 1000} s each`,
    unit: 'ms',
    ...compare(times.ours, { name: 'bare Temporal', values: times.floor }),
    target: { atMost: 1.25 },
  };
}
