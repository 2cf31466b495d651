import { failure } from '../contracts/failures.ts';
import { DefinitionError } from '../tools/definition-error.ts';
import { didYouMean } from '../tools/nearest-names.ts';
import type { Agent } from './agent.ts';
import { refuseCircles, refuseUnknown, withSubagents } from './check-circles.ts';

/** The agents that a worker knows. */
export interface AgentRegistry {
  /** @throws AgentNotFoundError */
  get(name: string): Agent;
  /** In the order of their definition; those that are only tools of others come last. */
  list(): readonly Agent[];
}

export class AgentNotFoundError extends Error {
  readonly code = failure.agentNotFound;

  constructor(name: string, known: readonly string[]) {
    const available = known.length === 0 ? 'There are no agents.' : `The agents are: ${known.join(', ')}.`;
    super(`There is no agent "${name}".${didYouMean(name, known)} ${available}`);
    this.name = 'AgentNotFoundError';
  }
}

/** @throws DefinitionError when two agents have one name, call or create each other in a circle, or name one that is not there. */
export function createAgentRegistry(given: readonly Agent[]): AgentRegistry {
  const agents = withSubagents(given);
  const byName = new Map<string, Agent>();
  for (const [index, agent] of agents.entries()) {
    if (byName.has(agent.name)) {
      const first = agents.findIndex(({ name }) => name === agent.name);
      throw new DefinitionError(
        'config',
        `agents[${index}].name`,
        `agents[${first}] (${agents[first]?.model}) and agents[${index}] (${agent.model}) are both named ${agent.name}: rename one.`,
      );
    }
    byName.set(agent.name, agent);
  }
  refuseUnknown(agents);
  refuseCircles(agents);
  return {
    get(name) {
      const agent = byName.get(name);
      if (agent === undefined) throw new AgentNotFoundError(name, [...byName.keys()]);
      return agent;
    },
    list: () => [...byName.values()],
  };
}
