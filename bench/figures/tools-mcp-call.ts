import type { Row } from '../support/figure.ts';
import { activityTimes, runsOf } from '../support/history.ts';
import type { Stage } from '../support/stage.ts';
import { compare, interleaved, median } from '../support/statistics.ts';
import { turnScript } from '../support/turn-script.ts';

/**
 * An MCP call through a turn, by the history: from its activity's scheduling to its completion. Against it stands a bare activity that makes
 * the same call by the bare SDK, in a turn of bare Temporal.
 */
export async function mcpCall(stage: Stage): Promise<Row> {
  const [steps, rounds] = stage.isQuick ? [3, 1] : [30, 7];
  const script = () => turnScript({ steps, bytes: 32, tool: 'mcp__bench__lookup' });
  const perCall = async (workflowId: string, activity: string) =>
    median(activityTimes(await runsOf(stage.temporal, workflowId), activity));
  const contenders = {
    ours: async () => perCall(await stage.ours(script(), 'mcp'), 'runTools'),
    floor: async () => perCall(await stage.floor(script()), 'mcpCall'),
  };
  for (const contender of Object.values(contenders)) await contender();
  const { ours, floor } = await interleaved(rounds, contenders);
  return {
    figure: 'an MCP call through a turn (stdio)',
    unit: 'ms',
    ...compare(ours, { name: 'a bare activity that makes it by the bare SDK', values: floor }),
    target: { atMost: 1.3 },
  };
}
