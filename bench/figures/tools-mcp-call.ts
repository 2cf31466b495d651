import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { mcpCommand } from '../support/agents.ts';
import type { Row } from '../support/figure.ts';
import { activityTimes, runsOf } from '../support/history.ts';
import type { Stage } from '../support/stage.ts';
import { compare, interleaved, median } from '../support/statistics.ts';
import { turnScript } from '../support/turn-script.ts';

/**
 * An MCP call through a turn, by the history: from its activity's scheduling to its completion. Against it stand the same call by the bare
 * SDK plus a bare activity that only echoes, measured in the same rounds.
 */
export async function mcpCall(stage: Stage): Promise<Row> {
  const [steps, rounds] = stage.isQuick ? [3, 1] : [30, 7];
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(new StdioClientTransport({ ...mcpCommand, stderr: 'inherit' }));
  const script = () => turnScript({ steps, bytes: 32, tool: 'mcp__bench__lookup' });
  const perCall = async (workflowId: string, activity: string) =>
    median(activityTimes(await runsOf(stage.temporal, workflowId), activity));
  const contenders = {
    ours: async () => perCall(await stage.ours(script(), 'mcp'), 'runTools'),
    floor: async () => perCall(await stage.floor(script()), 'tool'),
    async sdk() {
      const times: number[] = [];
      for (let n = 0; n < steps; n += 1) {
        const begin = performance.now();
        await client.callTool({ name: 'lookup', arguments: { n, bytes: 32 } });
        times.push(performance.now() - begin);
      }
      return median(times);
    },
  };
  try {
    for (const contender of Object.values(contenders)) await contender();
    const { ours, floor, sdk } = await interleaved(rounds, contenders);
    return {
      figure: 'an MCP call through a turn (stdio)',
      unit: 'ms',
      ...compare(ours, {
        name: 'the bare SDK and a bare activity',
        values: floor.map((ms, round) => ms + (sdk[round] ?? 0)),
      }),
      target: { atMost: 1.3 },
    };
  } finally {
    await client.close();
  }
}
