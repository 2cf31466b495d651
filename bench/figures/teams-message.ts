import { randomUUID } from 'node:crypto';
import { deliver } from '../../src/inbox/deliver.ts';
import type { Row } from '../support/figure.ts';
import type { Stage } from '../support/stage.ts';
import { compare, interleaved } from '../support/statistics.ts';
import { now, signalToActivity, startOf } from '../support/to-activity.ts';
import { turnScript } from '../support/turn-script.ts';

/** From the moment at which a message is sent to the start of the next model call of the session that it is for. */
export async function messageToModel(stage: Stage): Promise<Row> {
  const session = await stage.session(stage.newName());
  const courier = { temporal: stage.temporal, store: stage.content.store, taskQueue: stage.oursQueue };
  const ref = { owner: session.owner, sessionId: session.id };
  await (await session.submit(JSON.stringify(turnScript({ steps: 0 })))).result();

  const ours = async (): Promise<number> => {
    const turn = session.turn(((await session.get())?.lastTurn ?? 0) + 1);
    const message = { id: randomUUID(), kind: 'team' as const, from: { name: 'bench' }, text: 'Hello.' };
    const begin = now();
    await deliver(courier, { owner: ref.owner, to: ref, message });
    await turn.result();
    return (await startOf(stage, turn.id, 'callModel')) - begin;
  };
  const floor = () => signalToActivity(stage);

  const contenders = { ours, floor };
  for (const contender of Object.values(contenders)) await contender();
  const times = await interleaved(stage.isQuick ? 2 : 40, contenders);
  return {
    figure: 'message to the next model call of an idle session',
    unit: 'ms',
    ...compare(times.ours, { name: 'signal to activity', values: times.floor }),
    target: { atMost: 2 },
  };
}
