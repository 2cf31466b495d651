import type { Actor, Requesters } from '../core/approval.ts';
import type { Reply } from '../core/next-action.ts';
import type { FinishReason, ModelFinishReason, Usage } from '../schema/message.ts';
import type { SessionRef } from './ids.ts';
import type { InboxMessage } from './inbox.ts';
import type {
  ChildTurn,
  ExternalResult,
  OutputRef,
  QueuedTurn,
  Reconciliation,
  SeenInput,
  SentConfirmation,
  SessionControl,
  SessionSettings,
  Steer,
  SubmittedInput,
  TurnCall,
  TurnOutcome,
} from './inputs.ts';

/** Short, idempotent store writes, run as local activities: one history event each. */
export interface StoreActivities {
  loadSession(input: { ref: SessionRef; agent: string; mustExist?: boolean }): Promise<SessionSnapshot>;
  saveSession(input: { ref: SessionRef; control: SessionControl }): Promise<void>;
  /** Says that the session's workflow is about to return: until it is loaded again, the store numbers its turns. */
  releaseSession(input: { ref: SessionRef }): Promise<void>;
  /** The ids, among these, of messages that the session's turns have taken in. */
  messagesTaken(input: { ref: SessionRef; ids: string[] }): Promise<string[]>;
  /** Commits the input and the turn's start; names the agent's limits, which the workflow can't know. */
  openTurn(
    input: TurnAddress & { agent: string; inputId: string; input: SubmittedInput },
  ): Promise<OpenedTurn>;
  /** Says in events that these calls wait, and that the run pauses. */
  openGates(input: OpenGatesInput): Promise<void>;
  /** Tells the hook of the worker's owner that a gate is overdue or was escalated. */
  noticeGates(input: NoticeGatesInput): Promise<void>;
  /** Commits answers to gates, and the start of the next run when something can go on; says what became of each. */
  answerGates(input: AnswerGatesInput): Promise<GateOutcome[]>;
  /** Opens the session in which a call's agent works, or settles the call where it may not. */
  openSubagent(
    input: TurnAddress & { callId: string; maxTokens?: number; canBackground: boolean },
  ): Promise<OpenedSubagent>;
  /** Commits the end of a call's turn below, and what it came to as the call's result. */
  closeSubagent(input: CloseSubagentInput): Promise<CallChange>;
  /** The turns of these calls: of the session, or of sessions below it. Unknown calls are left out. */
  locateCalls(input: { ref: SessionRef; callIds: string[] }): Promise<{ callId: string; turnId: string }[]>;
  /** Says what a member of a team owes its leader after a turn; nothing for a session that is in no team. */
  concludeMemberTurn(input: {
    ref: SessionRef;
    turn: number;
    requesters?: Requesters;
    /** Something waits in its inbox. */
    hasMore?: boolean;
  }): Promise<MemberConclusion>;
  /** Whether a worker is still in the team of its leader: one that was erased is not. */
  isMember(input: { leader: SessionRef; member: SessionRef }): Promise<boolean>;
  /** Pairs calls without a result, and commits the turn's end. True when the session has begun what may go on without it. */
  closeTurn(input: CloseTurnInput): Promise<boolean>;
}

/** What is sent after a turn of a member. A repeat sends the same under the same ids. */
export interface MemberConclusion {
  /** To the leader. */
  reports?: LetterInput[];
  /** To the member itself. */
  reminder?: InboxMessage;
}

/** A message for another session's inbox. Its text may be long. */
export interface LetterInput {
  to: SessionRef;
  message: InboxMessage;
}

export interface InboxActivities {
  /** Delivers; tries again, within a day, while the inbox is full or nobody answers. False when nobody will take it: its sender's observers are told. */
  deliverMessage(input: LetterInput): Promise<boolean>;
  /** Notices what of a session's background tasks and team was ended from outside, so that it is told. True while some goes on. */
  lookAfter(input: { ref: SessionRef }): Promise<boolean>;
}

/** Long activities: they heartbeat, and are cancelled by an interrupt. */
export interface StepActivities {
  /** One model call, committed with the judgement of each call that it proposes. A repeat of a committed step calls no model. */
  callModel(input: CallModelInput): Promise<ModelDigest>;
  /** Runs the calls of one batch side by side, each under its own ledger entry. */
  runTools(
    input: TurnAddress & { step: number; callIds: string[]; requesters?: Requesters },
  ): Promise<CallChange[]>;
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
  inbox?: InboxMessage[];
  settings: SessionSettings;
  /** It has begun what may go on without it. */
  isWatching?: boolean;
  /** The newest turn of a member of a team, when its workflow was ended from outside: its leader may wait for it. */
  leftTurn?: number;
}

export interface OpenedTurn {
  maxIterations: number;
  modelName: string;
  stopsWhenAllDenied: boolean;
  /** The turn that this input became before: the session had forgotten it. Nothing is left to do. */
  duplicateOf?: string;
}

export type OpenedSubagent =
  | { kind: 'opened'; child: ChildTurn; background?: { afterMs: number } }
  | { kind: 'settled'; change: CallChange };

export interface CloseSubagentInput extends TurnAddress {
  callId: string;
  child: ChildTurn;
  result: TurnOutcome;
  /** The caller's turn ends: nobody reads the result. */
  isStopping: boolean;
}

export interface CallModelInput extends TurnAddress {
  /** From 1. */
  step: number;
  /** `none` for the summarizing call at the iteration limit; `output` where only the answer in the wanted form is left. */
  tools: 'auto' | 'none' | 'output';
  output?: OutputRef;
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
  /** What it used of a model. */
  usage?: Usage;
}

export interface OpenGatesInput extends TurnAddress {
  run: number;
  /** Calls that observers have not been told of yet. */
  callIds: string[];
  /** Set when nothing else can run: the run ends for this reason. */
  pause?: FinishReason;
}

export interface NoticeGatesInput extends TurnAddress {
  notices: { callId: string; kind: 'overdue' | 'escalated' }[];
}

export interface AnswerGatesInput extends TurnAddress {
  /** The run that begins when something can go on. */
  nextRun: number;
  /** All calls of the step, as the turn knows them: an attempt that ended before it could tell may have changed them. */
  calls: Pick<TurnCall, 'callId' | 'state'>[];
  answers: GateAnswer[];
}

/** What became of a gate: of the call that was answered, or of a sibling that the answer settled or brought up. */
export interface GateOutcome extends CallChange {
  /** Why the answer was not taken; the call waits on. */
  rejected?: string;
  /** Another answer may fit: the call waits for one. */
  isUnfit?: true;
}

/** `isVote`: more people have to allow it before it runs. `isOverdue`: nobody answered in time. */
export type GateAnswer =
  | { kind: 'confirm'; actor?: Actor; isVote?: boolean; isOverdue?: boolean; answer: SentConfirmation }
  | { kind: 'external'; actor?: Actor; isOverdue?: boolean; answer: ExternalResult }
  | { kind: 'reconcile'; actor?: Actor; answer: Reconciliation };

export interface CloseTurnInput extends TurnAddress {
  inputId: string;
  input: SubmittedInput;
  result: TurnOutcome;
}
