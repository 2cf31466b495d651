import type { Agent } from '../agents/agent.ts';
import { formatRule } from '../core/permission-rule.ts';
import { describeError } from '../tools/tool-errors.ts';
import type { ToolSource } from '../tools/tool-source.ts';
import { loadSource } from '../tools/load-source.ts';
import { memorySlots } from '../tools/memory-slots.ts';
import type { Tool } from '../tools/tool.ts';
import type { WorkerScope } from '../tools/worker-scope.ts';

/** A tool of an agent, as a listing shows it. */
export interface ListedTool {
  name: string;
  /** `basic` is always on. */
  group: string;
  /** `agent`, or the name of the source that has it. */
  source: string;
  /** Before owner's and session's rules, and what a tool says of single arguments. */
  permission: string;
  description: string;
}

export interface ToolListing {
  tools: ListedTool[];
  /** Sources that have no tools now, with why. */
  missing: { source: string; why: string }[];
}

/** All tools that a new session of the agent could have: its groups' as if active, and those that sources have now. */
export async function listTools(agent: Agent, owner: string, worker: WorkerScope): Promise<ToolListing> {
  const basic = { group: 'basic', tools: agent.tools, sources: agent.sources };
  const groups = Object.entries(agent.toolGroups).map(([group, { tools = [], sources = [] }]) => ({
    group,
    tools,
    sources,
  }));
  const listing: ToolListing = { tools: [], missing: [] };
  for (const { group, tools, sources } of [basic, ...groups]) {
    const add = (source: string, found: readonly Tool[]) =>
      listing.tools.push(...found.map((tool) => describe(agent, tool, group, source)));
    add('agent', tools);
    for (const source of sources) {
      try {
        add(source.name, await load(source, agent, owner, worker));
      } catch (error) {
        listing.missing.push({ source: source.name, why: describeError(error) });
      }
    }
  }
  return listing;
}

async function load(
  source: ToolSource,
  { name, model, permissions: { workingDirectories } }: Agent,
  owner: string,
  worker: WorkerScope,
): Promise<readonly Tool[]> {
  const ref = { owner, sessionId: 'listing' };
  const session = { ref, agent: name, model, workingDirectories, slots: memorySlots() };
  const { tools, notice } = await loadSource(source, { ...session, worker, isListing: true });
  if (tools.length === 0 && typeof notice === 'string') throw new Error(notice);
  return tools;
}

function describe(agent: Agent, tool: Tool, group: string, source: string): ListedTool {
  const { name, description } = tool;
  return { name, group, source, permission: permissionOf(agent, tool), description };
}

function permissionOf({ permissions }: Agent, tool: Tool): string {
  const rules = permissions.rules.filter((rule) => rule.tool === tool.name);
  const mode = permissions.mode === 'default' ? '' : ` (mode ${permissions.mode})`;
  const words = rules.map((rule) => `${rule.behavior} ${formatRule(rule)}`);
  if (tool.question) words.push('asks a person its question');
  else if (tool.isReadOnly({})) words.push('reads only: passes');
  else words.push(tool.isExternal ? 'another system runs it' : 'as it says of each call, else asks');
  return words.join(', ') + mode;
}
