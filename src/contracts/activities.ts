import type { Reply } from '../core/next-action.ts';
import type { FinishReason, ModelFinishReason, Usage } from '../schema/message.ts';
import type { SessionRef } from './ids.ts';
import type {
  Confirmation,
  ExternalResult,
  QueuedTurn,
  Reconciliation,
  SeenInput,
  SessionControl,
  Steer,
  SubmittedInput,
  TurnCall,
  TurnError,
} from './inputs.ts';

/** Short, idempotent store writes, run as local activities: one history event each. */
export interface StoreActivities {
  loadSession(input: { ref: SessionRef; agent: string }): Promise<SessionSnapshot>;
  saveSession(input: { ref: SessionRef; control: SessionControl }): Promise<void>;
  /** Commits the input and the turn's start; names the agent's limits, which the workflow can't know. */
  openTurn(input: TurnAddress & { agent: string; inputId: string; input: SubmittedInput }): Promise<OpenedTurn>;
  /** Says in events that these calls wait, and that the run pauses. */
  openGates(input: TurnAddress & { run: number; reason: FinishReason; callIds: string[] }): Promise<void>;
  /** Commits answers to gates and starts the next run; returns the calls that changed. */
  answerGates(input: AnswerGatesInput): Promise<CallChange[]>;
  /** Pairs calls without a result, and commits the turn's end. */
  closeTurn(input: CloseTurnInput): Promise<void>;
}

/** Long activities: they heartbeat, and are cancelled by an interrupt. */
export interface StepActivities {
  /** One model call, committed with the judgement of each call that it proposes. A repeat of a committed step calls no model. */
  callModel(input: CallModelInput): Promise<ModelDigest>;
  /** Runs the calls of one batch side by side, each under its own ledger entry. */
  runTools(input: TurnAddress & { step: number; callIds: string[] }): Promise<CallChange[]>;
}

export interface TurnAddress {
  ref: SessionRef;
  turn: number;
  agent: string;
}

export interface SessionSnapshot {
  nextTurn: number;
  queue: QueuedTurn[];
  seen: SeenInput[];
  hasSearchAttributes: boolean;
}

export interface OpenedTurn {
  maxIterations: number;
  modelName: string;
  /** The turn that this input became before: the session had forgotten it. Nothing is left to do. */
  duplicateOf?: string;
}

export interface CallModelInput extends TurnAddress {
  /** From 1. */
  step: number;
  /** `none` for the summarizing call at the iteration limit. */
  tools: 'auto' | 'none';
  /** Taken in before the call. */
  steers: Steer[];
}

/** What the loop needs of a committed model call; the content stays in the store. */
export interface ModelDigest {
  messageId: string;
  reply: Reply;
  calls: TurnCall[];
  finishReason: ModelFinishReason;
  usage: Usage;
  /** The first 200 characters of the reply's text, for people who look at the workflow. */
  preview: string;
}

export interface CallChange {
  callId: string;
  state: TurnCall['state'];
  reason?: string;
}

export interface AnswerGatesInput extends TurnAddress {
  step: number;
  /** The run that begins when nothing waits any more. */
  run: number;
  answers: GateAnswer[];
}

export type GateAnswer =
  | { kind: 'confirm'; actor?: string; answer: Confirmation }
  | { kind: 'external'; actor?: string; answer: ExternalResult }
  | { kind: 'reconcile'; actor?: string; answer: Reconciliation };

export interface CloseTurnInput extends TurnAddress {
  step: number;
  run: number;
  finishReason: FinishReason;
  usage: Usage;
  replyMessageId?: string;
  error?: TurnError;
  /** Why it was interrupted. */
  reason?: string;
}
