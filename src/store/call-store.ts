import type { SessionRef } from '../contracts/ids.ts';
import type { ApprovalPolicy, GateDeadline } from '../core/approval.ts';
import type { CallState } from '../core/next-action.ts';
import type { DecidedBy, PermissionBehavior, PermissionRule } from '../core/permission.ts';
import type { EventBody, Question } from '../schema/event.ts';
import type { Msg, Usage } from '../schema/message.ts';
import type { KeptEvent, MsgDraft, Page, PageRequest } from './store.ts';

/** Somebody allowed a call that more people must allow. */
export interface CallVote {
  actor: string;
  /** That they allowed: the proposed ones, or an edit. */
  arguments: string;
  /** What they want remembered, once enough people have allowed the same. */
  remember?: PermissionRule[];
}

/** One row of the tool ledger. */
export interface CallRecord {
  callId: string;
  turn: number;
  step: number;
  /** Place among the calls of its message, from 0. */
  index: number;
  /** Reserved for its result: the `seq` of its `tool_result_start`. */
  seq: number;
  messageId: string;
  name: string;
  /** Raw arguments as proposed, or as a person edited them; without the values of secret fields. */
  arguments: string;
  /** The arguments with the values of secret fields, while the call has no result. */
  sealed?: string;
  suggestedRules?: PermissionRule[];
  /** No allow rule can grant it. */
  isSafety?: boolean;
  /** It asks a person a question. */
  question?: Question;
  /** People who allowed it so far, where several must, and the arguments that they allowed. */
  votes?: CallVote[];
  /** Who may answer its gate, as its tool or agent said when it was proposed, or as it was escalated; absent: anyone who may approve. */
  approval?: ApprovalPolicy;
  deadline?: GateDeadline;
  /** When the deadline of its open gate passes, an ISO time. */
  dueAt?: string;
  state: CallState;
  /** The act has begun and its outcome is not committed yet. */
  isDispatched: boolean;
  /** How often it was dispatched. */
  attempts: number;
  reason?: string;
  /** What it used of a model, where its tool asked one. */
  usage?: Usage;
  createdAt: string;
  endedAt?: string;
}

/** States of a call that waits at a gate. */
export type GateState = Extract<CallState, 'asking' | 'submitted' | 'uncertain'>;

/** A call with where it belongs. */
export interface OwnedCall extends CallRecord {
  ref: SessionRef;
  agent: string;
}

export interface CallDraft {
  callId: string;
  name: string;
  arguments: string;
  state: CallState;
  sealed?: string;
  suggestedRules?: PermissionRule[];
  isSafety?: boolean;
  question?: Question;
  reason?: string;
  approval?: ApprovalPolicy;
  deadline?: GateDeadline;
  /** How its state was decided. */
  audit?: AuditDraft;
  /** For a call that is settled at once (denied, invalid): its result. */
  result?: MsgDraft;
}

export interface CallStore {
  /** The committed message of a model step with its calls, or undefined. */
  step(
    ref: SessionRef,
    turn: number,
    step: number,
  ): Promise<{ message: Msg; calls: CallRecord[] } | undefined>;
  /**
   * Commits a model step: the assistant message at the next seq, one reserved seq for each call, the ledger rows, results of settled
   * calls (with `tool_result_end`), `kept` with their ids and `events` after them, all durable. Ephemeral events
   * of this message are deleted. A second commit of the step changes nothing and returns the first. Throws `TurnEndedError` when the
   * turn has ended: a worker that was thought dead may still have an answer.
   */
  commitStep(input: {
    ref: SessionRef;
    message: MsgDraft;
    calls: CallDraft[];
    kept: KeptEvent[];
    events: EventBody[];
    /** Moves the context's start. */
    contextFrom?: number;
  }): Promise<{ message: Msg; calls: CallRecord[] }>;
  get(ref: SessionRef, callId: string): Promise<CallRecord | undefined>;
  /** The call of this id in any session of the owner. */
  find(owner: string, callId: string): Promise<OwnedCall | undefined>;
  ofTurn(ref: SessionRef, turn: number): Promise<CallRecord[]>;
  /**
   * All calls of the owner's sessions that wait at a gate, or those of one state among them, oldest first. `path` leads to a session that
   * another one began, from the topmost one above it.
   */
  open(
    owner: string,
    page: PageRequest & { state?: GateState },
  ): Promise<Page<OwnedCall & { path?: string[] }>>;
  /** How many wait at gates, of all owners. */
  countOpen(): Promise<Record<GateState, number>>;
  /** The calls of sessions below this one that wait at a gate, oldest first, at most 1,000. `path` leads from it down. */
  openBelow(ref: SessionRef): Promise<(OwnedCall & { path: string[] })[]>;
  /**
   * Marks calls as dispatched, before they act, and returns them as they were before the mark, in the order asked for. Appends a durable
   * `tool_result_start` for each, with the new attempt's number. Settled ones are left alone.
   */
  dispatch(ref: SessionRef, callIds: string[]): Promise<CallRecord[]>;
  /**
   * Settles a call: its result takes the reserved seq; `tool_result_end` is appended (before `extra.events`), ephemeral events of the
   * call (those appended under the result's id) deleted. When it is settled already, nothing changes and the committed state is returned.
   * A call that ran without a mark is marked with it: `extra.begunAt` is when it began, as an ISO time.
   */
  settle(
    ref: SessionRef,
    callId: string,
    result: MsgDraft,
    extra?: { kept?: KeptEvent[]; events?: EventBody[]; audit?: AuditDraft; begunAt?: string; usage?: Usage },
  ): Promise<CallRecord>;
  /**
   * Moves an unsettled call to another state (`asking` → `allowed`, `allowed` → `uncertain` …), with events in the same transaction. A
   * change that changes nothing is a repeat: no event is appended. A settled call stays as it is.
   */
  move(
    ref: SessionRef,
    callId: string,
    change: {
      state: CallState;
      arguments?: string;
      sealed?: string;
      votes?: CallRecord['votes'];
      suggestedRules?: PermissionRule[];
      isSafety?: boolean;
      question?: Question;
      approval?: ApprovalPolicy;
      /** Undefined: there is none any more. */
      dueAt?: string | undefined;
      reason?: string;
      isDispatched?: boolean;
    },
    extra?: { events?: EventBody[]; audit?: AuditDraft },
  ): Promise<CallRecord>;
}

/** One decision about a call, as it is kept. */
export interface AuditEntry extends AuditDraft {
  id: number;
  at: string;
  turn: number;
  callId: string;
  tool: string;
}

export interface AuditDraft {
  behavior: PermissionBehavior;
  /** `turn_end`: nobody, before the turn was over. */
  by: DecidedBy | 'person' | 'deadline' | 'system' | 'turn_end';
  reason: string;
  /** The rule that decided, when one did. */
  rule?: PermissionRule;
  /** Who decided, when a person or a system did. */
  actor?: string;
  /** As decided on: without the values of secret fields. */
  arguments: string;
  /** The rules that its answer added to the session. */
  remembered?: PermissionRule[];
}

export interface AuditStore {
  /** Oldest first. Entries are written with what they decide, in one transaction. */
  list(ref: SessionRef, page: PageRequest & { callId?: string }): Promise<Page<AuditEntry>>;
}
