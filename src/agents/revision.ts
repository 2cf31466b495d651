import { createHash } from 'node:crypto';
import type { Agent } from './agent.ts';

/** A short hash of all that shapes an agent's behavior; the same for the same definition in every process. */
export function revisionOf(agent: Omit<Agent, 'revision' | 'toolByName'>): string {
  const { tools, sources, instructions, toolChoice, ...plain } = agent;
  const shape = {
    ...plain,
    instructions: typeof instructions === 'function' ? String(instructions) : instructions,
    ...(toolChoice === undefined
      ? {}
      : { toolChoice: typeof toolChoice === 'function' ? String(toolChoice) : toolChoice }),
    sources: sources.map(({ name }) => name),
    tools: tools.map(
      ({
        name,
        description,
        parameters,
        isIdempotent,
        isExternal,
        returnDirect,
        timeoutMs,
        maxAttempts,
      }) => ({
        name,
        description,
        parameters,
        isIdempotent,
        isExternal,
        returnDirect,
        timeoutMs,
        maxAttempts,
      }),
    ),
  };
  return createHash('sha256').update(canonicalJson(shape)).digest('hex').slice(0, 12);
}

/** JSON whose text does not depend on the order in which keys were written. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
