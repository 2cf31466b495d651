import type { Agent } from '../agents/agent.ts';
import type { SessionRef } from '../contracts/ids.ts';
import { taskSource } from '../tasks/task-source.ts';
import { describeError } from '../tools/tool-errors.ts';
import { loadLimitMs, type LoadedTools, type ToolSource } from '../tools/tool-source.ts';
import type { Tool } from '../tools/tool.ts';
import type { ActivityDeps } from './deps.ts';
import { slotsOf } from './session-slots.ts';

/** An agent with the tools that its sources have for one session now. */
export interface EquippedAgent extends Agent {
  /** For the end of the system prompt. */
  readonly additions: readonly string[];
  /** What each source wants the model to know now. */
  readonly notices: readonly Notice[];
}

export interface Notice {
  source: string;
  text: string;
  /** Not needed while the context shows an earlier one of this source, or a call of these tools. */
  unlessCalled?: readonly string[];
}

/** Asks the agent's sources, and those that the worker adds to every agent, for their tools. */
export async function equip(deps: ActivityDeps, agent: Agent, ref: SessionRef): Promise<EquippedAgent> {
  const sources = [
    ...(agent.hasTasks ? [taskSource(deps.store)] : []),
    ...agent.sources,
    ...(deps.sources ?? []),
  ];
  if (sources.length === 0) return { ...agent, additions: [], notices: [] };
  const loaded = await Promise.all(sources.map((source) => load(deps, agent, ref, source)));

  const toolByName = new Map<string, Tool>(agent.toolByName);
  const notices: Notice[] = [];
  for (const { source, tools, notice } of loaded) {
    if (typeof notice === 'object') notices.push({ source, ...notice });
    const texts = typeof notice === 'string' ? [notice] : [];
    for (const tool of tools) {
      // Who came first keeps the name: a server must not be able to replace a tool that people trust.
      if (toolByName.has(tool.name))
        texts.push(`The tool ${tool.name} of ${source} is left out: another tool has its name.`);
      else toolByName.set(tool.name, tool);
    }
    if (texts.length > 0) notices.push({ source, text: texts.join('\n') });
  }
  const { permissions } = agent;
  return {
    ...agent,
    tools: [...toolByName.values()],
    toolByName,
    additions: loaded.flatMap(({ instructions }) => (instructions === undefined ? [] : [instructions])),
    notices,
    permissions: {
      ...permissions,
      workingDirectories: [
        ...permissions.workingDirectories,
        ...loaded.flatMap(({ workingDirectories = [] }) => workingDirectories),
      ],
    },
  };
}

async function load(
  { store }: ActivityDeps,
  agent: Agent,
  ref: SessionRef,
  source: ToolSource,
): Promise<LoadedTools & { source: string }> {
  const signal = AbortSignal.timeout(loadLimitMs);
  const context = { ref, agent: agent.name, slots: slotsOf(store.slots, ref), signal };
  try {
    return { ...(await Promise.race([source.load(context), rejectionOf(signal)])), source: source.name };
  } catch (error) {
    const why = signal.aborted ? `it did not answer within ${loadLimitMs / 1000} s` : describeError(error);
    const notice = `The tools of ${source.name} are not available now: ${why}`;
    return { tools: [], notice, source: source.name };
  }
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
