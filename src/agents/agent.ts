import type { ModelSettings, ModelTimeouts, ToolChoice } from '../model/model.ts';
import type { ApprovalPolicy, GateDeadline } from '../core/approval.ts';
import type { PermissionMode, PermissionRule } from '../core/permission.ts';
import type { Json } from '../schema/message.ts';
import type { ToolGroups } from './tool-group.ts';
import type { ToolSource } from '../tools/tool-source.ts';
import type { Tool } from '../tools/tool.ts';
import type { AgentTeam } from './team-options.ts';

export interface InstructionsContext {
  owner: string;
  sessionId: string;
  /** The agent's name. */
  agent: string;
}

/** What the model may do with its tools, the same at each step or by step. `undefined` is `auto`. It must be fast and pure. */
export type ToolChoicePolicy =
  ToolChoice | ((context: InstructionsContext & { step: number }) => ToolChoice | undefined);

/** The system prompt, or what makes it for a session. It is asked before each model call: the same text keeps the provider's prompt cache warm. */
export type Instructions = string | ((context: InstructionsContext) => string | Promise<string>);

/** What an agent may do, before its owner's and its session's rules are added. */
export interface AgentPermissions {
  readonly mode: PermissionMode;
  readonly rules: readonly PermissionRule[];
  /** Absolute paths: where edits pass in mode `accept_edits`. */
  readonly workingDirectories: readonly string[];
  /** Who may answer gates. */
  readonly approval?: ApprovalPolicy;
  /** What happens when nobody answers. */
  readonly deadline?: GateDeadline;
  /** Ends the turn when all calls of a message were denied, instead of telling the model. */
  readonly stopsWhenAllDenied: boolean;
}

/** A definition with all that was left out filled in. It holds no state, and is frozen. Made by `defineAgent`. */
export interface Agent {
  readonly name: string;
  readonly description?: string;
  /** `provider/name`, resolved by the worker. */
  readonly model: string;
  readonly instructions: Instructions;
  readonly tools: readonly Tool[];
  readonly toolByName: ReadonlyMap<string, Tool>;
  /** Where more tools come from at run time. */
  readonly sources: readonly ToolSource[];
  /** Tools that the provider runs by itself, in its words. */
  readonly providerTools: readonly Readonly<Record<string, Json>>[];
  /** Tools that a session has only while their group is active. */
  readonly toolGroups: ToolGroups;
  /** Above this number of tools, those of sources and groups are found by `tool_search` and not shown. */
  readonly maxShownTools: number;
  /** Of one result, as the model sees it, in estimated tokens: it reads the rest with `read_result`. */
  readonly maxResultTokens: number;
  readonly toolChoice?: ToolChoicePolicy;
  /** It keeps a plan: it has the task tools, and is told of open tasks. */
  readonly hasTasks: boolean;
  /** It may set reminders for itself, which wake it up later. */
  readonly hasReminders: boolean;
  /** It may lead a team: it has the tools for that. */
  readonly team?: AgentTeam;
  /** Model calls of one turn, the summarizing one at the limit not counted. */
  readonly maxIterations: number;
  /** Tries of one model call in all, where its failure may pass. */
  readonly maxModelAttempts: number;
  /** Overrides what the model is said to take. */
  readonly contextTokens?: number;
  readonly isStreaming: boolean;
  readonly permissions: AgentPermissions;
  readonly settings: Readonly<ModelSettings>;
  readonly timeouts: Readonly<ModelTimeouts>;
  /** Changes when anything that shapes its behavior changes, as far as that can be read from the definition: a closure's variables can't. */
  readonly revision: string;
}
