import type { Agent } from '../agents/agent.ts';
import type { SessionRef } from '../contracts/ids.ts';
import { readResultName } from '../core/cut-result.ts';
import { loadSource } from '../tools/load-source.ts';
import { activeGroupsSlot } from '../tools/reset-tools.ts';
import { describeError } from '../tools/tool-errors.ts';
import { foundToolsSlot, toolSearch } from '../tools/tool-search.ts';
import {
  loadLimitMs,
  type LoadedTools,
  type ToolSource,
  type ToolSourceContext,
} from '../tools/tool-source.ts';
import type { SessionRecord } from '../store/store.ts';
import type { SessionSlots, Tool } from '../tools/tool.ts';
import { builtInTools } from './built-in-tools.ts';
import type { ActivityDeps } from './deps.ts';
import { isReachable } from '../inbox/reach.ts';
import { slotsOf } from './session-slots.ts';

/** An agent with the tools that one session has now. */
export interface EquippedAgent extends Agent {
  /** Tools that can be called and whose definitions the model does not see: there are too many, or nothing to use them for. */
  readonly hiddenTools: ReadonlySet<string>;
  /** Tools of groups that are not active, with their groups. */
  readonly inactiveTools: ReadonlyMap<string, string>;
  /** For the end of the system prompt. */
  readonly additions: readonly string[];
  /** What each source wants the model to know now. */
  readonly notices: readonly Notice[];
  /** Sources that could not say which tools they have. */
  readonly silentSources: readonly string[];
}

export interface Notice {
  source: string;
  text: string;
  /** Not needed while the context shows an earlier one of this source, or a call of these tools. */
  unlessCalled?: readonly string[];
}

/**
 * Gathers the tools of a session: the agent's own, those of its active groups, and those that sources have now, the worker's included.
 *
 * @param options.session as it was read just now, where it was.
 * @param options.limitMs for each source.
 */
export async function equip(
  deps: ActivityDeps,
  agent: Agent,
  ref: SessionRef,
  { session, limitMs = loadLimitMs }: { session?: SessionRecord; limitMs?: number } = {},
): Promise<EquippedAgent> {
  const { lineage } = session ?? (await deps.store.sessions.get(ref)) ?? {};
  const slots = slotsOf(deps.store.slots, ref);
  const groups = await activeGroups(agent, slots);
  // What these tools begin ends with a message to the session.
  const needsReach = agent.team !== undefined || agent.hasReminders;
  const reaches = !needsReach || (await isReachable(deps.store, ref, lineage));
  const builtIn = builtInTools(deps.store, agent);
  const sources = [
    ...((agent.team && reaches) || lineage?.kind === 'worker' ? [builtIn.team] : []),
    ...(builtIn.tasks ? [builtIn.tasks] : []),
    ...(builtIn.background ? [builtIn.background] : []),
    ...(builtIn.reminders && reaches ? [builtIn.reminders] : []),
    ...agent.sources,
    ...groups.active.flatMap((group) => group.sources ?? []),
    ...(deps.sources ?? []),
  ];
  const context = {
    ref,
    agent: agent.name,
    model: agent.model,
    workingDirectories: agent.permissions.workingDirectories,
    worker: deps.worker,
    slots,
  };
  const loaded = await Promise.all(sources.map((source) => load(source, context, limitMs)));

  const toolByName = new Map<string, Tool>(agent.toolByName);
  if (builtIn.resetTools) add(toolByName, builtIn.resetTools);
  for (const tool of groups.active.flatMap(({ tools = [] }) => tools)) add(toolByName, tool);
  const notices: Notice[] = [];
  for (const { source, tools, notice } of loaded) {
    if (typeof notice === 'object') notices.push({ source, ...notice });
    const texts = typeof notice === 'string' ? [notice] : [];
    for (const tool of tools)
      // Who came first keeps the name: a server must not be able to replace a tool that people trust.
      if (!add(toolByName, tool))
        texts.push(`The tool ${tool.name} of ${source} is left out: another tool has its name.`);
    if (texts.length > 0) notices.push({ source, text: texts.join('\n') });
  }
  const hiddenTools = await deferred(agent, toolByName, slots);
  if (toolByName.size > 0) {
    add(toolByName, builtIn.readResult);
    hiddenTools.add(readResultName);
  }

  const { permissions } = agent;
  return {
    ...agent,
    tools: [...toolByName.values()],
    toolByName,
    hiddenTools,
    inactiveTools: groups.inactiveTools,
    additions: loaded.flatMap(({ instructions }) => (instructions === undefined ? [] : [instructions])),
    notices,
    silentSources: loaded.filter(({ isSilent }) => isSilent).map(({ source }) => source),
    permissions: {
      ...permissions,
      workingDirectories: [
        ...permissions.workingDirectories,
        ...loaded.flatMap(({ workingDirectories = [] }) => workingDirectories),
      ],
    },
  };
}

async function activeGroups({ toolGroups }: Agent, slots: SessionSlots) {
  const entries = Object.entries(toolGroups);
  if (entries.length === 0) return { active: [], inactiveTools: new Map<string, string>() };
  const names = (await slots.read<string[]>(activeGroupsSlot)) ?? [];
  const inactive = entries.filter(([name]) => !names.includes(name));
  return {
    active: entries.flatMap(([name, group]) => (names.includes(name) ? [group] : [])),
    inactiveTools: new Map(
      inactive.flatMap(([name, { tools = [] }]) => tools.map((tool) => [tool.name, name])),
    ),
  };
}

/** With too many tools, those that are not the agent's own are hidden until they are found; `tool_search` then joins the others. */
async function deferred(
  agent: Agent,
  toolByName: Map<string, Tool>,
  slots: SessionSlots,
): Promise<Set<string>> {
  if (toolByName.size <= agent.maxShownTools) return new Set();
  const others = [...toolByName.values()].filter(
    ({ name }) => !agent.toolByName.has(name) && name !== 'reset_tools',
  );
  if (others.length === 0) return new Set();
  add(toolByName, toolSearch(others));
  const found = (await slots.read<string[]>(foundToolsSlot)) ?? [];
  return new Set(others.map(({ name }) => name).filter((name) => !found.includes(name)));
}

/** False when the name is taken. */
function add(toolByName: Map<string, Tool>, tool: Tool): boolean {
  if (toolByName.has(tool.name)) return false;
  toolByName.set(tool.name, tool);
  return true;
}

async function load(
  source: ToolSource,
  context: Omit<ToolSourceContext, 'signal'>,
  limitMs: number,
): Promise<LoadedTools & { source: string }> {
  try {
    return { ...(await loadSource(source, context, limitMs)), source: source.name };
  } catch (error) {
    const notice = `The tools of ${source.name} are not available now: ${describeError(error)}`;
    return { tools: [], notice, source: source.name, isSilent: true };
  }
}
