import type { DurascopeClient } from '../../src/client/index.ts';
import type { Figure } from '../support/figure.ts';
import type { Stage } from '../support/stage.ts';
import { median, slope } from '../support/statistics.ts';
import { turnScript, type TurnScript } from '../support/turn-script.ts';

/** Resident memory of worker processes that do nothing else. */
export const memory: Figure = {
  name: 'memory',
  async measure(stage) {
    const turns = stage.isQuick ? 80 : 2000;
    const { base, growth } = await growthOver(turns, stage);
    const parked = stage.isQuick ? 20 : 400;
    return [
      {
        figure: `growth of a worker (${Math.round(base)} MB) over the later three quarters of ${turns} turns`,
        unit: '%',
        measured: (100 * growth) / base,
        target: { atMost: 5 },
      },
      {
        figure: `memory of a cached turn at a gate with its session, of ${parked}`,
        unit: 'MB',
        measured: await costOfParked(parked, stage),
        target: { atMost: 0.4 },
      },
    ];
  },
};

const width = 40;

/** The trend after the first quarter, in which code is compiled and pools fill. */
async function growthOver(turns: number, stage: Stage): Promise<{ base: number; growth: number }> {
  const taskQueue = stage.newTaskQueue();
  const worker = await stage.startWorker({ taskQueue });
  const client = await stage.clientOf(taskQueue);
  const points: { x: number; y: number }[] = [];
  const script = () => turnScript({ steps: 1, calls: 2, bytes: 200 });
  const stretch = turns / 20;
  for (let done = stretch; done <= turns; done += stretch) {
    await runTurns(client, taskQueue, stretch, script);
    if (done > turns / 4) points.push({ x: done, y: await worker.call<number>('memory') });
  }
  await worker.stop();
  const base = median(points.slice(0, 3).map(({ y }) => y));
  return { base, growth: slope(points) * 0.75 * turns };
}

/** What each further turn adds to the worker that waits at a gate, the only one of its session. */
async function costOfParked(count: number, stage: Stage): Promise<number> {
  const taskQueue = stage.newTaskQueue();
  const worker = await stage.startWorker({ taskQueue, maxCachedWorkflows: 4 * count });
  const client = await stage.clientOf(taskQueue);
  await runTurns(client, `${taskQueue}-warm`, count, () => turnScript({ steps: 1, calls: 1, bytes: 200 }));
  const points: { x: number; y: number }[] = [];
  const stretch = count / 10;
  for (let parked = stretch; parked <= count; parked += stretch) {
    const prefix = `${taskQueue}-${parked}`;
    await runTurns(
      client,
      prefix,
      stretch,
      () => turnScript({ steps: 1, calls: 1, tool: 'approve' }),
      stretch,
    );
    points.push({ x: parked, y: await worker.call<number>('memory') });
  }
  await worker.stop();
  return slope(points);
}

/** As many turns as asked for, spread over the sessions, `width` of them at once. */
async function runTurns(
  client: DurascopeClient,
  prefix: string,
  turns: number,
  script: () => TurnScript,
  sessions = width,
): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (next < turns) {
        const place = next++ % sessions;
        const session = client.session({ owner: 'bench', id: `${prefix}-${place}`, agent: 'usual' });
        const turn = await session.submit(JSON.stringify(script()));
        await turn.result();
      }
    }),
  );
}
