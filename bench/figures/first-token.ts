import { NativeConnection } from '@temporalio/worker';
import type { Session } from '../../src/client/index.ts';
import { ScriptedModel } from '../../src/testing/index.ts';
import { createWorker } from '../../src/worker/index.ts';
import { usual } from '../support/agents.ts';
import type { Figure } from '../support/figure.ts';
import { firstTokenDelay } from '../support/first-token-delay.ts';
import { eventsOf, runsOf } from '../support/history.ts';
import type { Stage } from '../support/stage.ts';
import { interleaved, median } from '../support/statistics.ts';

/** From the moment at which the endpoint, in this process, writes the first token, to its `text_delta` in this process. */
export const firstToken: Figure = {
  name: 'first-token',
  async measure(stage) {
    const model = await ScriptedModel.start();
    const near = await embeddedWorker(stage, model.baseUrl);
    const far = await remoteWorker(stage, model.baseUrl);
    const sample = (session: Session) => () => firstTokenDelay(session, model);
    const delays = await interleaved(stage.isQuick ? 2 : 25, {
      near: sample(near.session),
      far: sample(far.session),
    });
    const [short, long] = stage.isQuick ? [5, 50] : [20, 2000];
    const tokens = (count: number) => historyOfTokens(stage, far.session, model, count);
    const [few, many] = [await tokens(short), await tokens(long)];
    await near.stop();
    await far.stop();
    await model.stop();
    return [
      {
        figure: 'first token to a subscriber in the process of the worker',
        unit: 'ms',
        measured: median(delays.near.slice(1)),
        target: { atMost: 25 },
      },
      {
        figure: 'first token to a subscriber in another process',
        unit: 'ms',
        measured: median(delays.far.slice(1)),
        target: { atMost: 25 },
      },
      {
        figure: `history events that ${long} tokens have more than ${short}`,
        unit: 'events',
        measured: many - few,
        target: { atMost: 0 },
      },
    ];
  },
};

async function historyOfTokens(stage: Stage, session: Session, model: ScriptedModel, tokens: number) {
  model.says('word '.repeat(tokens), { fragment: 5, delayMs: 1 });
  const turn = await session.submit('Speak');
  await turn.result();
  return eventsOf(await runsOf(stage.temporal, turn.id)).length;
}

async function embeddedWorker(stage: Stage, modelUrl: string) {
  const taskQueue = stage.newName();
  const connection = await NativeConnection.connect({ address: stage.address });
  const models = { bench: { baseUrl: modelUrl, apiKey: 'bench', api: 'chat' as const } };
  const worker = await createWorker({
    connection,
    taskQueue,
    store: stage.content,
    agents: [usual],
    models,
  });
  const ended = worker.run();
  return {
    session: (await stage.clientOf(taskQueue)).session({ owner: 'bench', id: taskQueue, agent: 'usual' }),
    async stop() {
      worker.shutdown();
      await ended;
      await connection.close();
    },
  };
}

async function remoteWorker(stage: Stage, modelUrl: string) {
  const taskQueue = stage.newName();
  const worker = await stage.startWorker({ taskQueue, modelUrl });
  return {
    session: (await stage.clientOf(taskQueue)).session({ owner: 'bench', id: taskQueue, agent: 'usual' }),
    stop: () => worker.stop(),
  };
}
