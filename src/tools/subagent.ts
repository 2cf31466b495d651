import type { CompiledSchema } from './tool-schema.ts';

/** When the model has its answer: the call waits for it, or gets a task id at once and the answer later, as a message. */
export type SubagentMode = 'blocking' | 'background' | 'model decides';

/** What a subagent knows of the conversation that it is called from, besides its prompt. */
export type SubagentContext = 'fresh' | { lastMessages: number };

export interface SubagentLimits {
  /** How far below the first session it may stand. Default: 5. Stated, it also permits agents that call each other in a circle. */
  depth: number;
  /** Subagents of one session that work at once; more blocking calls wait, more background ones are refused. Default: 10. */
  breadth: number;
  /** Input and output tokens of the subagent and all below it. Default: no limit. */
  maxTokens?: number;
}

/** What makes a call a turn of another agent, in a session of its own below the caller's. */
export interface Subagent {
  /** The agent, or a name by which the worker knows one. */
  agent: { readonly name: string };
  mode: SubagentMode;
  context: SubagentContext;
  limits: Readonly<SubagentLimits>;
  /** The depth was stated. */
  isDepthStated: boolean;
  /** The form that its answer must have. */
  output?: Pick<CompiledSchema, 'parameters' | 'check'>;
}
