import { sessionWorkflowId } from '../../src/contracts/ids.ts';
import type { Figure } from '../support/figure.ts';
import { runsOf } from '../support/history.ts';
import { median } from '../support/statistics.ts';
import { turnScript } from '../support/turn-script.ts';

/** A session of 3,000 turns, one after the other: each is answered, no run of the session grows long, and the last turns cost what the first did. */
export const longSession: Figure = {
  name: 'long-session',
  async measure(stage) {
    const [turns, part] = stage.isQuick ? [40, 10] : [3000, 300];
    const session = await stage.session(stage.newName());
    const input = JSON.stringify(turnScript({ steps: 0 }));
    const times: number[] = [];
    for (let count = 1; count <= turns; count += 1) {
      const begin = performance.now();
      const turn = await session.submit(input);
      const { finishReason } = await turn.result();
      if (turn.turn !== count || finishReason !== 'model_stop')
        throw new Error(`turn ${turn.turn} of ${count} ended as ${finishReason}`);
      times.push(performance.now() - begin);
    }
    const runs = await runsOf(
      stage.temporal,
      sessionWorkflowId({ owner: session.owner, sessionId: session.id }),
    );
    return [
      {
        figure: `median turn of the last ${part} of a session of ${turns}`,
        unit: 'ms',
        measured: median(times.slice(-part)),
        against: { name: `of its first ${part}`, value: median(times.slice(0, part)) },
        target: { atMost: 1.5 },
      },
      {
        figure: `longest of the session's ${runs.length} runs`,
        unit: 'events',
        measured: Math.max(...runs.map(({ events }) => events.length)),
        target: { atMost: 1500 },
      },
    ];
  },
};
