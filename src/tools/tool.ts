import type { ApprovalPolicy, GateDeadline, Requesters } from '../core/approval.ts';
import type { Coverage, PermissionBehavior, PermissionDecision, PermissionRule } from '../core/permission.ts';
import type { Question } from '../schema/event.ts';
import type { Subagent } from './subagent.ts';
import type { DataSource, Json, ToolResultState, Usage } from '../schema/message.ts';

/** Parts of a result, built with `text()` and `media()` of tool-parts.ts. */
export interface ToolParts {
  parts: ToolPart[];
}

export type ToolPart =
  { type: 'text'; text: string } | { type: 'data'; mediaType: string; source: DataSource; name?: string };

/** What the runtime knows of one execution. */
export interface CallContext {
  owner: string;
  sessionId: string;
  turnId: string;
  callId: string;
  /** The same on every attempt of this call, and on no other: pass it to what you call. */
  idempotencyKey: string;
  /** From 1; above 1 an earlier attempt may have acted. */
  attempt: number;
  /** Aborts on interrupt, timeout, cancellation and worker shutdown. Pass it on to what you call. */
  signal: AbortSignal;
  /** Named state of the session. */
  slots: SessionSlots;
  /** Who wrote into the turn by now. Absent: nobody can tell. */
  requesters?: Requesters;
  /** Patterns of the deny rules that bind the tool, for one that finds out as it runs what it comes upon. Absent: none. */
  deniedPatterns?: readonly string[];
}

/** Named state of a session: it outlives steps, turns and workers. A name holds letters, digits, `_`, `-` and `.`. */
export interface SessionSlots {
  read<T extends Json>(name: string): Promise<T | undefined>;
  /**
   * Replaces the value by what `change` makes of it, in one transaction: of two changes at once the second sees the first. `undefined`
   * deletes it. `change` must be fast and free of side effects, and must not alter what it is given.
   */
  update<T extends Json>(name: string, change: (now: T | undefined) => T | undefined): Promise<T | undefined>;
}

/** How far a tool is. `fraction` is 0 to 1. */
export interface ToolProgress {
  message?: string;
  fraction?: number;
}

/** What came of a question: a person's answer, their refusal, or nobody's answer in time. */
export type Answer = { kind: 'answered'; answer: string } | { kind: 'denied' } | { kind: 'nobody' };

/** `waitMs` is how long a person has; the call's own time limit stands still meanwhile. */
export type AskPerson = (question: Question, options: { waitMs: number }) => Promise<Answer>;

/** What `execute` is given besides its input. */
export interface ToolContext<Preset = Readonly<Record<string, unknown>>> extends CallContext {
  /** Tells observers how far it is; no part of the result. */
  progress: (update: ToolProgress) => void;
  /**
   * Asks a person in the middle of the call, through a gate, and waits. It holds a place of the worker meanwhile, and a worker that dies
   * takes the call along: a question that can be asked before acting belongs to a tool of its own (`askUser`).
   */
  ask: AskPerson;
  /** Counts tokens that the call used of a model into the turn's usage and its limits. */
  spend: (usage: Usage) => void;
  /** The tool's preset parameters; empty when it has none. */
  preset: Preset;
}

/** What the permission check of a tool knows. */
export interface PermissionContext {
  owner: string;
  sessionId: string;
}

export type Validation = { ok: true; value: unknown } | { ok: false; issues: string[] };

/**
 * A tool as the runtime sees it, whoever made it (`defineTool`, later MCP servers and others).
 * All but `execute` must be fast and free of side effects.
 */
export interface Tool {
  name: string;
  description: string;
  /** JSON Schema of the arguments that the model writes: preset ones are absent. */
  parameters: Record<string, Json>;
  /** Puts presets over arguments as parsed from JSON, and checks them. `issues` are sentences that tell the model what to mend. */
  validate(args: unknown): Promise<Validation>;
  isReadOnly(input: unknown): boolean;
  isConcurrencySafe(input: unknown): boolean;
  /** May run again under the same idempotency key without acting twice. */
  isIdempotent: boolean;
  /** `execute` only waits for another process, and never holds up this one. */
  isRemote?: boolean;
  /** Executed by a system outside, which submits the result. */
  isExternal: boolean;
  returnDirect: boolean;
  /** Limit of one call, its attempts and the pauses between them together, in milliseconds. */
  timeoutMs: number;
  /** How long one call may wait for people whom it asks with `context.ask`, in milliseconds, all in all. Absent: not at all. */
  waitMs?: number;
  /** How often a throwing execution is tried in all; more than 1 only for tools that are read-only or idempotent. */
  maxAttempts: number;
  /** The tool's own verdict on this input; undefined when it has none. */
  checkPermission(input: unknown, context: PermissionContext): Promise<PermissionDecision | undefined>;
  /** Whether the pattern of a rule of this behavior covers this input. Absent: `path=value` conditions (core/permission-rule.ts). */
  matchRule?(input: unknown, pattern: string, behavior: PermissionBehavior): boolean;
  /**
   * Tools whose deny and ask rules with a pattern bind this one as well, for it reaches what they reach: by name, whether such a pattern
   * covers this input.
   */
  boundBy?: Readonly<
    Record<string, (input: unknown, pattern: string, behavior: PermissionBehavior) => Coverage>
  >;
  /** Whether several allow rules together cover this input, where none does alone. */
  coversTogether?(input: unknown, patterns: readonly string[]): boolean;
  /** What this call would do is known only when it runs, so that no rule's pattern can be sure not to cover it. */
  isOpaque?(input: unknown): boolean;
  /** Rules that would settle calls like this one, narrowest first. Absent: one for the whole tool. */
  suggestRules?(input: unknown): PermissionRule[];
  /** The paths that this call would change, when it only edits files and all of them are known. */
  editTargets?(input: unknown): readonly string[] | undefined;
  /** Fields of the arguments whose values are kept out of transcript, events, logs and audit: `password`, `card.number`, `headers.*`. */
  secrets?: readonly string[];
  /** Who may answer its gates; absent: as the agent says. */
  approval?: ApprovalPolicy;
  /** What happens when nobody answers; absent: as the agent says. */
  deadline?: GateDeadline;
  /** A call that takes longer goes on in the background: its result is then a task's id, and what it comes to arrives as a message. */
  backgroundAfterMs?: number;
  /** Set for a tool that is an agent: a call is a turn of that agent, and `execute` is not used. */
  subagent?: Subagent;
  /** Set for a tool that asks a person: the answer is its result, and it is never executed. */
  question?(input: unknown): Question;
  /**
   * Runs it. An async generator yields text that is streamed as part of the result, and returns the rest of it. The result may be text,
   * any JSON value, bytes, ToolParts or an array of them; `undefined` means done, with nothing to say. Whatever it throws becomes an ERROR result.
   */
  execute(input: unknown, context: ToolContext): Promise<unknown> | AsyncGenerator<string, unknown, void>;
}

/** A finished execution, ready to be committed. */
export interface ToolOutcome {
  state: ToolResultState;
  parts: ToolPart[];
  /** What it used of a model. */
  usage?: Usage;
}
