import { DefinitionError } from '../tools/definition-error.ts';
import type { Tool } from '../tools/tool.ts';
import type { Agent } from './agent.ts';
import { isAgent } from './define-agent.ts';

/** All agents that are reachable: those given, and those that are tools of them or templates of their teams, however far below. */
export function withSubagents(agents: readonly Agent[]): Agent[] {
  const all = [...agents];
  // Grows while it is walked.
  for (const agent of all) {
    const tools = toolsOf(agent).flatMap(({ subagent }) =>
      subagent && isAgent(subagent.agent) ? subagent.agent : [],
    );
    const templates = agent.team?.templates.map((template) => template.agent) ?? [];
    for (const below of [...tools, ...templates]) if (!all.includes(below)) all.push(below);
  }
  return all;
}

/**
 * Agents that call each other without a stated depth would go on as deep as they may, each time anew.
 *
 * @throws DefinitionError with the path of the circle.
 */
export function refuseCircles(agents: readonly Agent[]): void {
  const byName = new Map(agents.map((agent) => [agent.name, agent]));
  const done = new Set<string>();
  const walk = (agent: Agent, path: readonly string[]): void => {
    if (done.has(agent.name)) return;
    const here = [...path, agent.name];
    for (const { subagent, name } of toolsOf(agent)) {
      const next = subagent && !subagent.isDepthStated ? byName.get(subagent.agent.name) : undefined;
      if (!next) continue;
      if (here.includes(next.name)) {
        const circle = [...here.slice(here.indexOf(next.name)), next.name].join(' → ');
        throw new DefinitionError(
          `agent "${agent.name}"`,
          `tools.${name}`,
          `these agents call each other in a circle: ${circle}. Leave one of these tools out, or say how deep it may go, as in agentTool('${next.name}', { limits: { depth: 3 } }).`,
        );
      }
      walk(next, here);
    }
    done.add(agent.name);
  };
  for (const agent of agents) walk(agent, []);
}

function toolsOf(agent: Agent): readonly Tool[] {
  return [...agent.tools, ...Object.values(agent.toolGroups).flatMap(({ tools = [] }) => tools)];
}
