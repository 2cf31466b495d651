import { DefinitionError } from '../tools/definition-error.ts';
import { didYouMean } from '../tools/nearest-names.ts';
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
 * A tool that stands for an agent by its name needs an agent of that name.
 *
 * @throws DefinitionError with the names that are near.
 */
export function refuseUnknown(agents: readonly Agent[]): void {
  const known = agents.map(({ name }) => name);
  for (const agent of agents)
    for (const { name, subagent } of toolsOf(agent)) {
      if (!subagent || known.includes(subagent.agent.name)) continue;
      const wanted = subagent.agent.name;
      throw new DefinitionError(
        `agent "${agent.name}"`,
        `tools.${name}`,
        `there is no agent ${wanted}.${didYouMean(wanted, known)} The agents are: ${known.join(', ')}.`,
      );
    }
}

/**
 * Agents that call or create each other without a stated depth would go on as deep as they may, each time anew.
 *
 * @throws DefinitionError with the path of the circle.
 */
export function refuseCircles(agents: readonly Agent[]): void {
  const byName = new Map(agents.map((agent) => [agent.name, agent]));
  const done = new Set<string>();
  const walk = (agent: Agent, path: readonly string[]): void => {
    if (done.has(agent.name)) return;
    const here = [...path, agent.name];
    for (const { at, to } of stepsFrom(agent)) {
      const next = byName.get(to);
      if (!next) continue;
      if (here.includes(next.name)) {
        const circle = [...here.slice(here.indexOf(next.name)), next.name].join(' → ');
        throw new DefinitionError(
          `agent "${agent.name}"`,
          at,
          `these agents call or create each other in a circle: ${circle}. Leave one of these steps out, or say how deep a tool of them may go, as in agentTool('${next.name}', { limits: { depth: 3 } }).`,
        );
      }
      walk(next, here);
    }
    done.add(agent.name);
  };
  for (const agent of agents) walk(agent, []);
}

/** The agents that one may set to work, without a stated depth: by a tool, or from a template. */
function stepsFrom(agent: Agent): { at: string; to: string }[] {
  return [
    ...toolsOf(agent).flatMap(({ name, subagent }) =>
      subagent && !subagent.isDepthStated ? [{ at: `tools.${name}`, to: subagent.agent.name }] : [],
    ),
    ...(agent.team?.templates ?? []).map((template) => ({
      at: `team.templates.${template.name}`,
      to: template.agent.name,
    })),
  ];
}

function toolsOf(agent: Agent): readonly Tool[] {
  return [...agent.tools, ...Object.values(agent.toolGroups).flatMap(({ tools = [] }) => tools)];
}
