import { idRule, isValidId } from '../contracts/ids.ts';
import { defaultTimeouts, type ModelSettings, type ModelTimeouts } from '../model/model.ts';
import { parseRule, whyUnreadable } from '../core/permission-rule.ts';
import { AgentSettings, type AgentPermissionOptions, type ParsedAgentPermissions } from '../schema/agent.ts';
import { DefinitionError } from '../tools/definition-error.ts';
import type { ToolSource } from '../tools/tool-source.ts';
import type { Json } from '../schema/message.ts';
import type { Tool } from '../tools/tool.ts';
import type { Agent, AgentPermissions, Instructions, ToolChoicePolicy } from './agent.ts';
import { checkSources } from './check-sources.ts';
import { checkToolGroups } from './check-tool-groups.ts';
import { checkTools, refuseTakenNames } from './check-tools.ts';
import { parseDefinition } from './definition-issues.ts';
import { revisionOf } from './revision.ts';
import type { ToolGroups } from './tool-group.ts';
import { checkTeam, type TeamOptions } from './team-options.ts';

export interface AgentOptions {
  /** Sessions name it. 1 to 128 characters, no slash or space. */
  name: string;
  /** For people, and for agents that may hand work to it. */
  description?: string;
  /** `provider/name`, such as `openai/gpt-5-mini`. */
  model: string;
  instructions: Instructions;
  tools?: readonly Tool[];
  /** Where more tools come from at run time: MCP servers, skills, a workspace. */
  sources?: readonly ToolSource[];
  /**
   * Tools that the provider runs by itself, in its own words: `{ type: 'web_search' }`. They come with their results, and no gate is asked, because
   * nothing of them runs here. Only the Responses API has them.
   */
  providerTools?: readonly Record<string, Json>[];
  /** Groups of tools by name that the model activates with `reset_tools` when it needs them: a few tools on show instead of all. */
  toolGroups?: ToolGroups;
  /** Above this number of tools, those of sources and groups are not shown: the model finds them with `tool_search`. Default: 60. */
  maxShownTools?: number;
  /** Of one tool result, as the model sees it, in estimated tokens; the rest is read with `read_result`. Default: 50,000. */
  maxResultTokens?: number;
  /**
   * What the model may do with its tools: `auto` (default), `required`, `none`, or `{ tool }`; the same at each step, or by a function of the
   * step: what is forced at every step ends only at `maxIterations`.
   */
  toolChoice?: ToolChoicePolicy;
  /** Lets it keep a plan by `task_create`, `task_update`, `task_list` and `task_get`. Default: false. */
  tasks?: boolean;
  /** Lets it wake itself up later by `remind_me_at`, `reminder_list` and `reminder_cancel`. Default: false. */
  reminders?: boolean;
  /** Lets it lead a team of workers made from these templates. Default: none. */
  team?: TeamOptions;
  /** Model calls of one turn; at the limit it is asked once more, without tools, to sum up. Default: 10. */
  maxIterations?: number;
  settings?: ModelSettings;
  /** In milliseconds; what is left out is the default. */
  timeouts?: Partial<ModelTimeouts>;
  /** Default: true. */
  stream?: boolean;
  /** Tries of one model call in all, where its failure may pass. Default: 5. */
  maxModelAttempts?: number;
  /** What it may do without asking, what it must ask for, and who answers. Default: mode `default`, no rules. */
  permissions?: AgentPermissionOptions;
  /** Tokens that prompt and answer share; default: what the model is known to take. */
  contextTokens?: number;
}

/**
 * Makes an agent.
 *
 * @example
 * export const support = defineAgent({
 *   name: 'support', model: 'openai/gpt-5-mini', instructions: 'You help with orders.', tools: [refundOrder],
 * });
 * @throws DefinitionError naming the field and the remedy.
 */
export function defineAgent(options: AgentOptions): Agent {
  if (typeof options !== 'object' || options === null) {
    throw new DefinitionError(
      'agent',
      'options',
      'expected an object such as { name, model, instructions, tools }.',
    );
  }
  const subject = checkName(options.name);
  checkInstructions(subject, options.instructions);
  checkToolChoice(subject, options.toolChoice);
  const tools = checkTools(subject, options.tools ?? []);
  const sources = checkSources(subject, options.sources ?? []);
  const toolGroups = checkToolGroups(subject, options.toolGroups);
  refuseTakenNames(subject, [...placesOf('tools', tools), ...groupPlaces(toolGroups)]);
  const team = checkTeam(subject, options.team);
  const { stream, tasks, reminders, timeouts, settings, description, contextTokens, permissions, ...rest } =
    parseDefinition(subject, AgentSettings, options, [
      'name',
      'instructions',
      'tools',
      'sources',
      'toolGroups',
      'toolChoice',
      'team',
    ]);
  const shape = {
    name: options.name,
    ...(description === undefined ? {} : { description }),
    ...rest,
    instructions: options.instructions,
    tools: Object.freeze([...tools]),
    sources: Object.freeze([...sources]),
    toolGroups,
    ...(options.toolChoice === undefined ? {} : { toolChoice: options.toolChoice }),
    ...(contextTokens === undefined ? {} : { contextTokens }),
    isStreaming: stream,
    hasTasks: tasks,
    hasReminders: reminders,
    ...(team ? { team } : {}),
    permissions: toPermissions(subject, permissions, tools),
    settings: Object.freeze(settings),
    timeouts: Object.freeze({ ...defaultTimeouts, ...timeouts }),
  };
  return Object.freeze<Agent>({
    ...shape,
    toolByName: new Map(tools.map((tool) => [tool.name, tool])),
    revision: revisionOf(shape),
  });
}

function placesOf(at: string, tools: readonly Tool[]): [string, Tool][] {
  return tools.map((tool, index) => [`${at}[${index}]`, tool]);
}

function groupPlaces(groups: ToolGroups): [string, Tool][] {
  return Object.entries(groups).flatMap(([name, { tools = [] }]) =>
    placesOf(`toolGroups.${name}.tools`, tools),
  );
}

/** True for what `defineAgent` made, of another copy of this package too: a loader of config files may bring one. */
export function isAgent(value: unknown): value is Agent {
  return typeof value === 'object' && value !== null && 'revision' in value && 'toolByName' in value;
}

function toPermissions(
  subject: string,
  options: ParsedAgentPermissions,
  tools: readonly Tool[],
): AgentPermissions {
  const { allow, ask, deny, ...rest } = options;
  const rulesOf = (texts: readonly string[], behavior: 'allow' | 'ask' | 'deny') =>
    texts.map((text) => parseRule(text, behavior, 'agent'));
  for (const [i, rule] of rulesOf(allow, 'allow').entries()) {
    const isPlain = tools.some((tool) => tool.name === rule.tool && !tool.matchRule);
    const problem = isPlain ? whyUnreadable(rule) : undefined;
    if (problem) throw new DefinitionError(subject, `permissions.allow[${i}]`, `${problem}.`);
  }
  return Object.freeze({
    ...rest,
    rules: Object.freeze([...rulesOf(deny, 'deny'), ...rulesOf(ask, 'ask'), ...rulesOf(allow, 'allow')]),
  });
}

function checkName(name: unknown): string {
  if (typeof name === 'string' && isValidId(name)) return `agent "${name}"`;
  const subject = typeof name === 'string' && name !== '' ? `agent "${name}"` : 'agent';
  throw new DefinitionError(subject, 'name', `write a name such as 'support' (${idRule}).`);
}

function checkInstructions(subject: string, instructions: unknown): void {
  if (typeof instructions === 'function') return;
  if (typeof instructions === 'string' && instructions.trim() !== '') return;
  throw new DefinitionError(
    subject,
    'instructions',
    'tell the agent who it is and what it does, in a text or a function ({ owner, sessionId }) => text.',
  );
}

function checkToolChoice(subject: string, choice: unknown): void {
  if (choice === undefined || typeof choice === 'function') return;
  if (typeof choice === 'string' && ['auto', 'required', 'none'].includes(choice)) return;
  if (typeof choice === 'object' && choice !== null && typeof Reflect.get(choice, 'tool') === 'string')
    return;
  throw new DefinitionError(
    subject,
    'toolChoice',
    "write 'auto', 'required', 'none', { tool: 'name' }, or a function of the step.",
  );
}
