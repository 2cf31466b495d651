import type { Confirmation, ExternalResult, IfBusy, Reconciliation, TurnError } from '../contracts/inputs.ts';
import type { Actor, ApprovalPolicy, GateDeadline } from '../core/approval.ts';
import type { TaskView } from '../core/plan.ts';
import type { PermissionMode, PermissionRule } from '../core/permission.ts';
import type { AgentEvent } from '../schema/event.ts';
import type { Block, FinishReason, InputPart, Msg, Usage } from '../schema/message.ts';
import type { SchemaOutput, ToolSchema } from '../tools/tool-schema.ts';
import type { AuditEntry, CallRecord, GateState } from '../store/call-store.ts';
import type {
  DayUsage,
  MessageOrder,
  Page,
  PageRequest,
  SessionPermissions,
  SessionRecord,
  SessionState,
  TurnRecord,
  TurnState,
} from '../store/store.ts';
import type { BackgroundTask } from '../tasks/background-slot.ts';
import type { TeamView } from '../team/team-view.ts';

/** What back-end code may do, whatever the transport. */
export interface Durascope {
  session(address: SessionAddress): Session;
  sessions(owner: string, filter?: SessionFilter): Promise<Page<SessionSummary>>;
  /** Every call of the owner's sessions that waits at a gate, oldest first. */
  gates(owner: string, page?: PageRequest & { state?: GateState }): Promise<Page<PendingCall>>;
  /**
   * The first hundred of them as they are now, and again with each change: for whoever shows what waits. A state, not a log, so it has no cursor.
   */
  watchGates(owner: string, options?: Pick<EventOptions, 'signal'>): AsyncIterable<Page<PendingCall>>;
  /** Finds the session of a waiting call, so that it can be answered by its id alone. */
  sessionOfCall(owner: string, callId: string): Promise<Session>;
  /** What turns came to, by day and agent, of the days from `from` to `to` (UTC, `2026-01-31`), both included. */
  usage(owner: string, days: { from: string; to: string }): Promise<DayUsage[]>;
  /** How much waits now, over all owners: for whoever runs the service. */
  load(): Promise<ServiceLoad>;
  /** Asks what it depends on; never throws because one of them is away. */
  health(): Promise<Health>;
  close(): Promise<void>;
}

export interface ServiceLoad {
  /** Calls at gates, by state. */
  gates: Record<GateState, number>;
  /** Tasks that no worker has taken yet, about: of workflows and of activities. */
  queued: { workflows: number; activities: number };
}

/** By dependency: `ok`, or what is wrong with it. */
export type Health = Record<'store' | 'temporal', 'ok' | (string & {})>;

export interface SessionAddress {
  owner: string;
  id: string;
  /** The agent that a new session gets; an existing one keeps its own. Needed for `submit` to a session that is not there yet. */
  agent?: string;
}

/** `parent`: the children of that session, in the order in which they were opened; without it, those that no session began. */
export type SessionFilter = PageRequest & ({ agent?: string; state?: SessionState } | { parent: string });

export type Input = string | InputPart[];

export interface SubmitOptions<S extends ToolSchema = ToolSchema> {
  /** A repeat with the same key does nothing and answers the same turn. Default: a new one. */
  idempotencyKey?: string;
  /**
   * What happens while another turn runs: it waits its turn (`queue`), is refused (`reject`), is taken in by the running turn (`steer`), or
   * that too and the calls that wait for a confirmation are denied (`deny`). Default: `queue`, but while a gate is open an error that says
   * what is pending.
   */
  ifBusy?: IfBusy;
  /** Who asks: approval policies may want it to be, or not to be, who answers. A name is short for `{ id: name }`. */
  actor?: string | Actor;
  /**
   * The form that the answer must have, as an object: zod, any Standard Schema, or JSON Schema. The turn then ends with `structured_output`
   * and the reply has it as `output`.
   */
  output?: S;
  /**
   * Asked before the input becomes a turn, not for a repeat, nor for what a running turn takes in: throws to refuse it. Over HTTP it is
   * always asked, as only the server knows what is a repeat.
   */
  mayBegin?: () => Promise<void>;
}

export interface AnswerOptions {
  idempotencyKey?: string;
  /** Who answers: for the record, and for the approval policy. A name is short for `{ id: name }`. */
  actor?: string | Actor;
}

export interface EventOptions {
  /** Id of the last event seen; what came after it follows. Default: from the session's, or the turn's, beginning. */
  after?: number;
  /** Ends the iteration. */
  signal?: AbortSignal;
}

export interface Session {
  readonly owner: string;
  readonly id: string;
  /**
   * Creates the session before its first input, which would do so too.
   *
   * @param options.metadata short texts to find it by; an existing session keeps its own.
   * @throws DurascopeError `conflict` when it belongs to another agent.
   */
  open(options?: { metadata?: Record<string, string> }): Promise<SessionDetails>;
  /** @throws DurascopeError `invalid_input`, `busy`, `no_worker`, `temporal_unavailable`. */
  submit<S extends ToolSchema = ToolSchema>(
    input: Input,
    options?: SubmitOptions<S>,
  ): Promise<Turn<SchemaOutput<S>>>;
  /**
   * @throws DurascopeError `not_found` for an unknown call, `conflict` for one that takes no such answer (any more), `unfit_answer` when
   * the answer does not fit its call, such as arguments that its tool does not take, `forbidden` when its
   * approval policy wants other people to answer.
   */
  confirm(results: Confirmation[], options?: AnswerOptions): Promise<void>;
  submitExternalResults(results: ExternalResult[], options?: AnswerOptions): Promise<void>;
  reconcile(results: Reconciliation[], options?: AnswerOptions): Promise<void>;
  /** A user message that the running turn takes in before its next model call; without one it becomes a turn. */
  steer(input: Input, options?: Pick<SubmitOptions, 'idempotencyKey' | 'actor' | 'mayBegin'>): Promise<Turn>;
  /** Stops the running turn and keeps what was committed; does nothing when none runs. */
  interrupt(reason?: string): Promise<void>;
  /** Stops a background task; the session is told what it came to. Does nothing when it has ended. @throws DurascopeError `not_found` */
  cancelTask(taskId: string, reason?: string): Promise<void>;
  get(): Promise<SessionDetails | undefined>;
  /** Whether it is there; cheaper than `get`. */
  exists(): Promise<boolean>;
  /** The team that it leads, else the one that it is a member of. */
  team(): Promise<TeamView | undefined>;
  /** Sets the mode, adds rules, or replaces all rules of the session. They hold from the next model call or answer on. */
  setPermissions(change: {
    mode?: PermissionMode;
    addRules?: PermissionRule[];
    rules?: PermissionRule[];
  }): Promise<SessionPermissions>;
  /** Every decision about its calls, with what decided and why, oldest first. */
  audit(page?: PageRequest & { callId?: string }): Promise<Page<AuditEntry>>;
  turn(turn: number): Turn;
  turns(page?: PageRequest): Promise<Page<TurnRecord>>;
  /** The transcript, oldest first; `order: 'newest'`: the other way round. */
  messages(page?: PageRequest & { order?: MessageOrder }): Promise<Page<Msg>>;
  /** Replays from the cursor and goes on live: in order, without a gap or a repeat. */
  events(options?: EventOptions): AsyncIterable<AgentEvent>;
  /**
   * Ends the session and deletes all that the store keeps of it: messages, events, calls, their audit. What Temporal has of its runs is
   * deleted too, as far as it lists them by then and allows that; the rest goes with the namespace's retention.
   *
   * With `force` what is below it is ended and erased too, guests of its team aside.
   *
   * @throws DurascopeError `not_found`; `conflict` while a turn of it or of a session below it runs or waits, or a task goes on in the background, unless `force` is set.
   */
  erase(options?: { force?: boolean }): Promise<void>;
}

export type SessionSummary = Omit<
  SessionRecord,
  'control' | 'head' | 'contextFrom' | 'excludedTurns' | 'isClaimed'
>;

export interface SessionDetails extends SessionSummary {
  /** Inputs that no workflow has taken up yet, such as those that wait for a worker; absent when there are none. */
  queued?: number;
  /** Its calls that wait at a gate, and those of sessions below it. */
  pending: PendingCall[];
  /** The tasks of the plan that it works on. */
  tasks: TaskView[];
  /** Its calls that went on in the background, oldest first; of ended ones the newest 100. */
  background: BackgroundTaskView[];
  /** The team that it leads, else the one that it is a member of. */
  team?: TeamView;
}

/** A call that went on in the background. Its result is told to the session by a message. */
export type BackgroundTaskView = Omit<BackgroundTask, 'requesters' | 'isTold'>;

export type PendingCall = Pick<
  CallRecord,
  | 'callId'
  | 'name'
  | 'arguments'
  | 'state'
  | 'turn'
  | 'createdAt'
  | 'suggestedRules'
  | 'isSafety'
  | 'question'
  | 'votes'
> & {
  /** Where it waits: that session, or one below it. */
  sessionId: string;
  /** It asks in the middle of its execution: its worker waits for the answer, and not for long. */
  isRunning?: true;
  /** Of a call below: the names that lead from the session asked down to where it waits. */
  path?: string[];
  agent?: string;
  reason?: string;
  /** Who may answer; absent: anyone who may approve. */
  approval?: ApprovalPolicy;
  /** How many different people must allow what those in `votes` allowed; absent: one. */
  votesNeeded?: number;
  /** What happens when nobody answers until then. */
  deadline?: { dueAt: string; action: GateDeadline['action'] };
};

export interface Turn<Output = unknown> {
  readonly id: string;
  readonly turn: number;
  /** How it was taken: `repeated` when the idempotency key was used before. */
  readonly status?: 'started' | 'queued' | 'steered' | 'repeated';
  /** Id of an event before the turn's first: where `events` begins. */
  readonly after: number;
  /** What it has come to now; undefined when there is no such turn. */
  get(): Promise<TurnDetails<Output> | undefined>;
  /** The turn's events, and what happens below its session meanwhile (these have a `path`); ends with its own `turn_end`. */
  events(options?: EventOptions): AsyncIterable<AgentEvent>;
  /**
   * Waits for the turn's end, or, by default, until it waits at a gate. Never throws because of how the turn ended: see `finishReason`
   * and `error`.
   */
  result(options?: { until?: 'gate' | 'end'; signal?: AbortSignal }): Promise<Reply<Output>>;
}

export interface TurnDetails<Output = unknown> {
  turnId: string;
  turn: number;
  /** `queued`: it was accepted, and waits for the session's other turns. */
  state: 'queued' | TurnState;
  /** Counts its stretches between gates, from 1; 0 while it is queued. */
  run: number;
  usage: Usage;
  /** Its calls that wait at a gate. */
  pending: PendingCall[];
  /** Set once it waits or has ended. */
  finishReason?: FinishReason;
  /** What it answered, once it has ended. */
  content?: Block[];
  /** In the form that its submitter wanted. */
  output?: Output;
  error?: TurnError;
}

/** What a turn came to. While it waits at a gate, `pending` names the calls and `content` is empty. */
export interface Reply<Output = unknown> {
  turnId: string;
  finishReason: FinishReason;
  content: Block[];
  /** The text of the content. */
  text: string;
  /** The answer in the form that was asked for, when `finishReason` is `structured_output`. */
  output?: Output;
  usage: Usage;
  pending: PendingCall[];
  /** Why the turn failed, when `finishReason` is `error`. */
  error?: TurnError;
}
