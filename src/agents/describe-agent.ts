import type { z } from 'zod';
import type { AgentView } from '../schema/api-answers.ts';
import type { Agent } from './agent.ts';

export type AgentDescription = z.input<typeof AgentView>;

/** What may be told of an agent to those who use it: its instructions are not among it. */
export function describeAgent(agent: Agent): AgentDescription {
  const { name, description, model, tools, maxIterations, permissions, revision } = agent;
  return {
    name,
    ...(description === undefined ? {} : { description }),
    model,
    tools: tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      ...(tool.isExternal ? { isExternal: true as const } : {}),
    })),
    maxIterations,
    permissions: { mode: permissions.mode, rules: [...permissions.rules] },
    revision,
  };
}
