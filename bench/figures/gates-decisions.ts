import { matchesInput } from '../../src/core/permission-rule.ts';
import { decidePermission, type PermissionFacts, type PermissionRule } from '../../src/core/permission.ts';
import type { Row } from '../support/figure.ts';
import { median } from '../support/statistics.ts';

const tools = 50;
const rulesPerTool = 10;

/**
 * How many calls are decided in a second of one core, each against 500 rules of 50 tools, most of them with a pattern. Every seventh call
 * reads only. By the process's own time, garbage collection included: what else the machine does is no matter.
 */
export function decisionRate(isQuick: boolean): Row {
  const rules = Array.from({ length: tools * rulesPerTool }, (_, i) => ruleOf(i));
  const calls = Array.from({ length: 1000 }, (_, i) => factsOf(i));
  const rates: number[] = [];
  for (let round = 0; round < (isQuick ? 2 : 12); round += 1) {
    const begin = process.cpuUsage();
    let decisions = 0;
    while (secondsSince(begin) < (isQuick ? 0.01 : 0.25))
      for (const call of calls) {
        decidePermission(call, { mode: 'default', rules });
        decisions += 1;
      }
    rates.push(decisions / secondsSince(begin));
  }
  return {
    figure: `decisions of the permission engine with ${rules.length} rules`,
    unit: 'decisions/s',
    // The first rounds are compiled while they run.
    measured: median(rates.slice(rates.length / 4)),
    target: { atLeast: 100_000 },
  };
}

function secondsSince(begin: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1e6;
}

function ruleOf(i: number): PermissionRule {
  const behavior = (['deny', 'ask', 'allow'] as const)[Math.floor(i / tools) % 3]!;
  const tool = `tool_${i % tools}`;
  return i < tools ? { tool: 'elsewhere', behavior } : { tool, pattern: `order.id=${i}&amount=5`, behavior };
}

function factsOf(i: number): PermissionFacts {
  const input = { order: { id: `${i}`, lines: ['a', 'b'] }, amount: 5, note: 'as agreed' };
  return {
    toolName: `tool_${i % tools}`,
    isReadOnly: i % 7 === 0,
    matches: (pattern) => matchesInput(input, pattern),
  };
}
