import { createHash } from 'node:crypto';
import type { ToolSource } from '../tools/tool-source.ts';
import type { Tool } from '../tools/tool.ts';
import type { Agent } from './agent.ts';

/** A short hash of all that shapes an agent's behavior; the same for the same definition in every process. */
export function revisionOf(agent: Omit<Agent, 'revision' | 'toolByName'>): string {
  const shape = {
    ...agent,
    instructions: textOf(agent.instructions),
    ...('toolChoice' in agent ? { toolChoice: textOf(agent.toolChoice) } : {}),
    tools: agent.tools.map(shapeOf),
    sources: agent.sources.map(sourceShape),
    toolGroups: Object.entries(agent.toolGroups).map(([name, { tools = [], sources = [], ...texts }]) => ({
      name,
      ...texts,
      tools: tools.map(shapeOf),
      sources: sources.map(sourceShape),
    })),
    ...(agent.team
      ? {
          team: {
            ...agent.team,
            templates: agent.team.templates.map(({ agent: { revision }, ...rest }) => ({
              ...rest,
              revision,
            })),
          },
        }
      : {}),
  };
  return createHash('sha256').update(canonicalJson(shape)).digest('hex').slice(0, 12);
}

function shapeOf(tool: Tool) {
  const { name, description, parameters, isIdempotent, isExternal, returnDirect, timeoutMs, maxAttempts } =
    tool;
  const { backgroundAfterMs, subagent } = tool;
  return {
    name,
    description,
    parameters,
    isIdempotent,
    isExternal,
    returnDirect,
    timeoutMs,
    maxAttempts,
    ...(backgroundAfterMs === undefined ? {} : { backgroundAfterMs }),
    ...(subagent ? { subagent: { ...subagent, agent: subagent.agent.name } } : {}),
  };
}

function sourceShape({ name, definition }: ToolSource) {
  return definition === undefined ? name : { name, definition };
}

/** A function counts by its text. */
function textOf<T>(value: T): T | string {
  return typeof value === 'function' ? String(value) : value;
}

/** JSON whose text does not depend on the order in which keys were written. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
