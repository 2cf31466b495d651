import type { Actor, ApprovalPolicy, GateDeadline, Requesters } from '../core/approval.ts';
import type { CallState, Reply } from '../core/next-action.ts';
import type { PermissionRule } from '../core/permission.ts';
import type { FinishReason, InputPart, Json, Usage } from '../schema/message.ts';
import type { SessionRef } from './ids.ts';
import type { InboxMessage } from './inbox.ts';

/**
 * An input as it travels: a user's plain text, parts, or a reference to parts that the client wrote to the store because they are large; or
 * a message of the inbox.
 */
export type SubmittedInput = string | InputPart[] | { ref: string } | { message: InboxMessage };

/** It came through the inbox. */
export function isMessage(input: SubmittedInput): input is { message: InboxMessage } {
  return typeof input === 'object' && input !== null && 'message' in input;
}

/** An input above this many bytes of JSON goes to the store first, so that no signal nears the payload limit. */
export const inlineInputBytes = 16 * 1024;

/** `deny`: the calls that wait at a gate are denied, and the running turn takes the input in. */
export type IfBusy = 'queue' | 'reject' | 'steer' | 'deny';

export interface Submission {
  /** The sender's own id: a repeat of it does nothing and answers the same turn. */
  id: string;
  input: SubmittedInput;
  /** What happens while another turn runs; default `queue`. */
  ifBusy?: IfBusy;
  /** Who asks: approval policies may want it to be, or not to be, who answers. */
  actor?: Actor | string;
  /** Who is behind it, where a workflow submits it. */
  requesters?: Requesters;
  /** Where the JSON Schema is kept that the answer must fit. */
  output?: OutputRef;
  /** Id of a workflow that waits for the turn's end: it is told by a signal (contracts/messages.ts, turnEndedSignal). */
  replyTo?: string;
}

/** A JSON Schema in the store: an id of its session's blobs. */
export interface OutputRef {
  ref: string;
}

/** A submission that has its turn number and waits for its turn. */
export interface QueuedTurn {
  turn: number;
  inputId: string;
  input: SubmittedInput;
  requester?: string;
  requesters?: Requesters;
  output?: OutputRef;
  replyTo?: string;
  /** Why it is not wanted any more: it is closed when its turn comes, and not begun. */
  withdrawn?: string;
}

/** What of a session outlives its workflow: committed to the store, loaded at the start of a run. */
export interface SessionControl {
  /** Turns that were accepted and had not begun when the session's workflow was cancelled. */
  queue: QueuedTurn[];
  /** Messages that may not have been taken in by then. */
  inbox?: InboxMessage[];
}

export interface SessionInput {
  ref: SessionRef;
  agent: string;
  /** It was there when this was started: if it is gone it was erased, and must not come back. */
  mustExist?: boolean;
  /** Set by the session itself when it continues as new. */
  carry?: SessionCarry;
}

/** A session that a leader begins. */
export interface WorkerStart {
  ref: SessionRef;
  agent: string;
  /** Its name in the team. */
  name: string;
}

export interface SessionCarry {
  nextTurn: number;
  queue: QueuedTurn[];
  /** The newest input ids with the turns that they became, oldest first. */
  seen: SeenInput[];
  /** Messages that wait for a turn, oldest first. Absent: none. */
  inbox?: InboxMessage[];
  /** The newest ids of messages that were taken into the inbox, oldest first; the store knows all that were taken in. */
  seenMessages?: string[];
  settings: SessionSettings;
  /** It has begun what may go on without it, and looks after that while it rests. */
  isWatching?: boolean;
}

/** What the worker knows and the workflow needs: learnt when the session is loaded. */
export interface SessionSettings {
  /** The cluster knows Durascope's search attributes. */
  hasSearchAttributes: boolean;
  /** How long an idle session stays before it returns. */
  lingerMs: number;
}

export interface SeenInput {
  inputId: string;
  turn: number;
}

export interface Steer {
  id: string;
  input: SubmittedInput;
  /** Denies the calls that wait for a confirmation: the user wrote something else instead. */
  denyPending?: boolean;
  /** Who writes: they ask for what the turn does from then on, as who submitted its input does. */
  actor?: Actor | string;
}

/** A call as the turn's workflow carries it: no content, and its decision already made. */
export interface TurnCall {
  callId: string;
  name: string;
  state: CallState;
  concurrencySafe: boolean;
  returnDirect: boolean;
  /** Limit of one execution, in milliseconds. */
  timeoutMs: number;
  /** Why a gate is open, for a person to judge by. */
  reason?: string;
  /** It asks a person a question: an answer is its result. */
  isQuestion?: boolean;
  /** Who may answer its gate; absent: anyone who may approve. */
  approval?: ApprovalPolicy;
  deadline?: GateDeadline;
  /** It is a turn of another agent. */
  child?: { breadth: number };
  /** It goes on in the background when it takes longer, in milliseconds. */
  backgroundAfterMs?: number;
}

/** A turn of a session below, which a call of this turn asked for. */
export interface ChildTurn {
  ref: SessionRef;
  turn: number;
  agent: string;
  inputId: string;
  input: SubmittedInput;
  output?: OutputRef;
  /** Tokens that it and all below it may use. */
  maxTokens?: number;
  /** Who wrote into the turn of the call. */
  requesters?: Requesters;
}

/** A person who allowed a call that needs more of them. */
export interface Vote {
  callId: string;
  actor: string;
  /** Edited arguments as JSON, its keys sorted, or the digest of sealed ones: people must agree on the same. */
  input?: string;
}

/** An open gate's clock. */
export interface GateClock {
  callId: string;
  /** When the deadline passes, in milliseconds since the epoch. */
  dueAt: number;
}

export interface TurnError {
  code: string;
  message: string;
}

export interface TurnInput {
  ref: SessionRef;
  turn: number;
  agent: string;
  inputId: string;
  input: SubmittedInput;
  /** Who submitted the input, when they said so. */
  requester?: string;
  /** Who is behind the input, where another turn wrote it. */
  requesters?: Requesters;
  /** Messages of the inbox that the first model call takes in. */
  messages?: InboxMessage[];
  hasSearchAttributes: boolean;
  output?: OutputRef;
  /** Tokens that the turn and all below it may use. */
  maxTokens?: number;
  /** Set by the turn itself when it continues as new. */
  carry?: TurnCarry;
}

export interface TurnCarry {
  maxIterations: number;
  modelName: string;
  stopsWhenAllDenied: boolean;
  /** Counts stretches between gates, from 1. */
  run: number;
  /** Model calls of the turn, the summarizing one included; the next one gets this number plus one. */
  step: number;
  iterations: number;
  reply: Reply;
  replyMessageId?: string;
  calls: TurnCall[];
  steers: Steer[];
  isSummarized: boolean;
  usage: Usage;
  /** Of turns below that this one waited for. Absent: none. */
  usageBelow?: Usage;
  preview: string;
  /** Ids of signals that were taken in: a repeat does nothing. */
  seen: string[];
  /** Calls whose gate observers were told of. */
  announced: string[];
  /** The run paused at a gate and has not gone on. */
  isPaused: boolean;
  votes: Vote[];
  clocks: GateClock[];
  requesters: Requesters;
}

export interface TurnResult {
  turnId: string;
  finishReason: FinishReason;
  usage: Usage;
  /** Of turns below that it waited for. Absent: none. */
  usageBelow?: Usage;
  /** The message that answers the turn; absent when it ended without one. */
  replyMessageId?: string;
  error?: TurnError;
  /** Why it was interrupted. */
  reason?: string;
  /** Who wrote into it. */
  requesters: Requesters;
  /** The runs and model calls that it took. */
  run: number;
  step: number;
  /** Messages that came too late for it: the session makes them turns. */
  steers?: Steer[];
}

/** What is known of a turn that ended in whatever way: all of its result, or, when its workflow was ended from outside, the reason alone. */
export type TurnOutcome = Pick<TurnResult, 'finishReason'> & Partial<TurnResult>;

/**
 * A person's answer to a call that asks. `input` replaces the arguments, and is validated and held against the deny rules again.
 * `remember` adds rules for the session, which settle the siblings that they cover too. `answer` is for a call that asks a question;
 * `questionId` is the question's `id`, where it has one: without it, the answer is for the first question of its call only.
 */
export interface Confirmation {
  callId: string;
  decision: 'allow' | 'deny';
  input?: Json;
  reason?: string;
  remember?: PermissionRule[];
  answer?: string;
  questionId?: string;
}

/** A confirmation as it travels: what is secret in its `input` or `answer` is in the store, and in no message. */
export interface SentConfirmation extends Confirmation {
  sealed?: SealedAnswer;
}

export interface SealedAnswer {
  /** Of the session's blobs: a text, the JSON of `input` and `answer`. */
  ref: string;
  /** The same for the same `input`, and tells nothing of it; absent where there is none. */
  digest?: string;
}

/** A system's result for a call of an external tool. */
export interface ExternalResult {
  callId: string;
  state: 'success' | 'error';
  content: string | InputPart[];
}

/** What somebody found out about a call whose outcome was not recorded. */
export interface Reconciliation {
  callId: string;
  outcome: 'happened' | 'did_not_happen';
  /** What the tool would have returned, when it happened and this is known. */
  content?: string;
  reason: string;
}

export interface Answered<T> {
  /** The sender's own id: a repeat of it does nothing. */
  id?: string;
  /** Who answers: for the record, and for the approval policy. */
  actor?: Actor | string;
  results: T[];
}

export interface Interrupt {
  id?: string;
  /** To a session: that turn only, also while it waits for others. Default: the one that runs. */
  turnId?: string;
  reason?: string;
}
