import { Worker } from '@temporalio/worker';
import { workflowBundle } from '../../src/worker/workflow-bundle.ts';
import { parseTurnId } from '../../src/contracts/ids.ts';
import type { Figure } from '../support/figure.ts';
import { eventsOf, runsOf, scheduleTimes, type Run } from '../support/history.ts';
import type { Stage } from '../support/stage.ts';
import { median } from '../support/statistics.ts';
import { turnScript } from '../support/turn-script.ts';

/** A turn of 1,000 steps: no slower at its end, a chain of short runs, each of them soon replayed. */
export const longTurn: Figure = {
  name: 'long-turn',
  async measure(stage) {
    const [steps, part] = stage.isQuick ? [100, 10] : [1000, 100];
    const turnId = await stage.ours(turnScript({ steps }), 'usual');
    await mustHaveEndedRight(stage, turnId);
    const runs = await runsOf(stage.temporal, turnId);
    const times = scheduleTimes(runs, 'callModel');
    const between = (from: number, to: number) => (times[to] ?? Number.NaN) - (times[from] ?? Number.NaN);
    const longest = runs.toSorted((a, b) => b.events.length - a.events.length)[0];
    if (!longest) throw new Error(`${turnId} has no run`);
    return [
      {
        figure: `time of steps ${steps - part + 1}–${steps} of a turn`,
        unit: 'ms',
        measured: between(steps - part, steps),
        against: { name: `steps 1–${part}`, value: between(0, part) },
        target: { atMost: 1.2 },
      },
      {
        figure: `longest of the ${runs.length} runs of ${steps} steps (${eventsOf(runs).length} events in all)`,
        unit: 'events',
        measured: longest.events.length,
        target: { atMost: 1500 },
      },
      {
        figure: 'replay of that run',
        unit: 'ms',
        measured: await replayTime(longest, turnId, stage.isQuick ? 1 : 5),
        target: { atMost: 1000 },
      },
    ];
  },
};

async function mustHaveEndedRight(stage: Stage, turnId: string): Promise<void> {
  const address = parseTurnId(turnId);
  if (!address) throw new Error(`${turnId} is no turn`);
  const session = await stage.session(address.ref.sessionId);
  const { finishReason, text } = await session.turn(address.turn).result();
  if (finishReason !== 'model_stop' || text === '') throw new Error(`${turnId} ended as ${finishReason}`);
}

/** The start of a replay worker is part of it, the bundling is not. */
async function replayTime({ history }: Run, workflowId: string, rounds: number): Promise<number> {
  const bundle = await workflowBundle();
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const begin = performance.now();
    await Worker.runReplayHistory({ workflowBundle: bundle }, history, workflowId);
    times.push(performance.now() - begin);
  }
  return median(times);
}
