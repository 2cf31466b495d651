import type { SessionRef } from '../contracts/ids.ts';
import type { SessionSlots, Tool } from './tool.ts';
import type { WorkerScope } from './worker-scope.ts';

/**
 * Tools that are known only at run time: those of MCP servers, of skills, of a session's workspace or team. To the loop they are tools
 * like any other.
 *
 * **Contract:** `load` is asked before each model call and each batch of tools, so what is slow is cached; the same session gets the same
 * tools in the same order as long as nothing changed, which keeps the provider's prompt cache warm. What it throws, or a load that takes
 * longer than `loadLimitMs`, costs its tools and not the turn: the model is told. A call that may run already waits for a while.
 */
export interface ToolSource {
  /** Unique in an agent: letters, digits, `_` and `-`. Notices and listings name it. */
  readonly name: string;
  /** What its definition says, as JSON and without secrets: it goes into the agent's revision. */
  readonly definition?: unknown;
  load(context: ToolSourceContext): Promise<LoadedTools>;
  /** Deletes what it keeps for a session that was erased, on the worker that asks; does nothing when there is nothing. */
  remove?(session: SessionRef, context: Pick<ToolSourceContext, 'worker'>): Promise<void>;
}

/** How long a source may take to say which tools it has, in milliseconds. */
export const loadLimitMs = 10_000;

export interface ToolSourceContext {
  ref: SessionRef;
  /** The agent's name. */
  agent: string;
  /** The agent's model, as `provider/name`. */
  model: string;
  /** Absolute paths that the agent's definition names. */
  workingDirectories: readonly string[];
  worker: WorkerScope;
  /** Named state of the session. */
  slots: SessionSlots;
  /** Its tools are only listed, for a session that does not exist: nothing is made for it. */
  isListing?: true;
  /** Aborts when the answer comes too late. */
  signal: AbortSignal;
}

export interface LoadedTools {
  tools: readonly Tool[];
  /** Which tools there are can't be told now: a call that may run waits for its tool, and asks again. */
  isSilent?: boolean;
  /** Goes to the end of the system prompt: a text that stays the same from step to step. */
  instructions?: string;
  /**
   * What the model should know now: open tasks, a server that is down. It is put into the transcript as a hint when its text
   * changed since the last time, or the last one has left the context. With `unlessCalled` it is put there only while the context shows
   * neither an earlier one, whatever its text, nor a call of these tools: for what the model changes itself, and so knows.
   */
  notice?: string | { text: string; unlessCalled: readonly string[] };
  /** Absolute paths, added to the agent's: edits in them pass in mode `accept_edits`. */
  workingDirectories?: readonly string[];
}
