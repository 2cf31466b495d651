import type { Row } from '../support/figure.ts';
import type { Stage } from '../support/stage.ts';
import { compare, interleaved } from '../support/statistics.ts';
import { now, signalToActivity, startOf } from '../support/to-activity.ts';
import { turnScript } from '../support/turn-script.ts';

/** From the moment at which somebody answers to the start of the first activity after it, as users and as bare Temporal do it. */
export async function resumption(stage: Stage): Promise<Row> {
  const session = await stage.session('gates-resumption');

  const ours = async (): Promise<number> => {
    const turn = await session.submit(JSON.stringify(turnScript({ steps: 1, bytes: 32, tool: 'approve' })));
    const callId = (await turn.result()).pending[0]?.callId ?? '';
    const begin = now();
    await session.confirm([{ callId, decision: 'allow' }]);
    await turn.result({ until: 'end' });
    return (await startOf(stage, turn.id, 'runTools')) - begin;
  };
  const floor = () => signalToActivity(stage);

  const contenders = { ours, floor };
  for (const contender of Object.values(contenders)) await contender();
  const times = await interleaved(stage.isQuick ? 2 : 40, contenders);
  return {
    figure: 'confirmation to the first activity of the resumed call',
    unit: 'ms',
    ...compare(times.ours, { name: 'signal to activity', values: times.floor }),
    target: { atMost: 3 },
  };
}
