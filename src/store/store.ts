import type { SessionRef } from '../contracts/ids.ts';
import type { QueuedTurn, SessionControl, TurnError } from '../contracts/inputs.ts';
import type { KeptEvent } from '../core/compact-events.ts';
import type { Lineage, Relay } from '../core/lineage.ts';
import type { PermissionMode, PermissionRule } from '../core/permission.ts';
import type { AgentEvent, EventBody } from '../schema/event.ts';
import type { FinishReason, InputPart, Json, Msg, Usage } from '../schema/message.ts';
import type { AuditStore, CallStore } from './call-store.ts';

export type { KeptEvent, Lineage };

/**
 * The port to the transcript store: content of sessions, the tool ledger and the event log. Temporal keeps what happens next; this keeps
 * what was said and done.
 *
 * **Contract:** each method is one transaction. Every write is idempotent under the ids in its input: a repeat changes nothing and
 * returns what the first one committed. Event ids are monotonic per session in commit order: a reader that saw id n never later finds
 * a new event with an id below n. What a session's ancestors see of its events is copied into their logs in the same transaction, under
 * ids of their own. A connection that broke surfaces as `StoreUnavailableError`; nothing is half written.
 */
export interface Store {
  sessions: SessionStore;
  turns: TurnStore;
  messages: MessageStore;
  calls: CallStore;
  events: EventStore;
  audit: AuditStore;
  blobs: BlobStore;
  secrets: SecretStore;
  slots: SlotStore;
  apiKeys: ApiKeyStore;
  usage: UsageStore;
  /** Resolves when the store answers; throws `StoreUnavailableError` otherwise. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface Page<T> {
  items: T[];
  /** Opaque; absent on the last page. */
  nextCursor?: string;
}

export interface PageRequest {
  cursor?: string;
  /** 1 to 200, default 50. */
  limit?: number;
}

export type SessionState = 'idle' | 'running' | 'waiting';

export interface SessionRecord {
  ref: SessionRef;
  agent: string;
  state: SessionState;
  control: SessionControl;
  permissions: SessionPermissions;
  /** What its maker noted about it, such as a ticket's number. */
  metadata: Record<string, string>;
  /** Seq of the newest message, reserved places of results included; 0 when empty. */
  head: number;
  /** The context starts at this seq: what is older fell out of the model's budget. */
  contextFrom: number;
  /** Turns whose messages are left out of the context, because the provider rejected them as malformed. */
  excludedTurns: number[];
  /** Id of the newest event; 0 when none. */
  lastEventId: number;
  /** Number of the newest turn; 0 when none. */
  lastTurn: number;
  usage: Usage;
  /** Where it hangs in a tree of sessions; absent at the top. */
  lineage?: Lineage;
  /** A workflow has the session in hand, and numbers its turns. */
  isClaimed: boolean;
  createdAt: string;
  updatedAt: string;
}

/** What became of an input that the store was to number. */
export type Enqueued = { turn: number; status: 'started' | 'queued' | 'repeated' };

/** A session above another one, with what leads from it down, and what it sees of it. */
export interface Ancestor {
  ref: SessionRef;
  path: string[];
  relay: Relay;
}

/** What of a session decides on permissions, besides its agent's and owner's rules. */
export interface SessionPermissions {
  /** Overrides the agent's. */
  mode?: PermissionMode;
  rules: PermissionRule[];
}

export interface SessionStore {
  /** Creates the session unless it is there; an existing one keeps its agent, its lineage and its metadata. Its parent must be there. */
  open(
    ref: SessionRef,
    agent: string,
    lineage?: Lineage,
    metadata?: Record<string, string>,
  ): Promise<SessionRecord>;
  /** Deletes the session and all that belongs to it; false when there was none. */
  erase(ref: SessionRef): Promise<boolean>;
  get(ref: SessionRef): Promise<SessionRecord | undefined>;
  /**
   * Newest change first: a turn's start, pause or end, or a saved control; what a turn streams and commits meanwhile is none. Children that
   * a session began are left out.
   */
  list(
    owner: string,
    filter: PageRequest & { agent?: string; state?: SessionState },
  ): Promise<Page<SessionRecord>>;
  /** Hangs the session, and with it those below it, under another parent, or under none. Throws `InvalidLineageError` for a circle. */
  setLineage(ref: SessionRef, lineage: Lineage | undefined): Promise<SessionRecord>;
  /** The parent first. */
  ancestors(ref: SessionRef): Promise<Ancestor[]>;
  /** In the order in which they were opened; their own children are not among them. */
  children(ref: SessionRef, page: PageRequest): Promise<Page<SessionRecord>>;
  saveControl(ref: SessionRef, control: SessionControl): Promise<void>;
  /**
   * Numbers an input while no workflow has the session in hand, and keeps it until its turn is opened; creates the session unless it is
   * there. The answer has no turn where the workflow has to decide: it has the session in hand, or others wait and the input is not to.
   */
  enqueue(
    ref: SessionRef,
    agent: string,
    input: Omit<QueuedTurn, 'turn'>,
    options: { mayWait: boolean },
  ): Promise<{ session: SessionRecord; enqueued?: Enqueued }>;
  /** For the session's workflow: from now on it alone numbers the turns. Creates the session unless it is there. */
  claim(ref: SessionRef, agent: string): Promise<SessionRecord>;
  /** For a workflow that is about to return, with nothing in hand. */
  release(ref: SessionRef): Promise<void>;
  /** Sets the mode, adds rules (those that are there already are not added again), or replaces all of them. */
  changePermissions(
    ref: SessionRef,
    change: { mode?: PermissionMode; addRules?: PermissionRule[]; rules?: PermissionRule[] },
  ): Promise<SessionPermissions>;
}

export type TurnState = 'running' | 'waiting' | 'ended';

export interface TurnRecord {
  turn: number;
  turnId: string;
  inputId: string;
  agent: string;
  revision: string;
  /** Counts its stretches between gates, from 1: the number of its newest `run_start`. */
  run: number;
  state: TurnState;
  finishReason?: FinishReason;
  /** Of the message that answers the turn. */
  replyMessageId?: string;
  usage: Usage;
  error?: TurnError;
  startedAt: string;
  endedAt?: string;
}

/** A message before the store gives it its place. */
export type MsgDraft = Omit<Msg, 'seq'>;

export interface TurnStore {
  /**
   * Appends the input, the turn's row and the events; the session becomes `running`. A repeat of the same `turn` answers the same record.
   * When `inputId` became another turn before, nothing is written and that turn is returned.
   */
  open(input: {
    ref: SessionRef;
    turn: number;
    inputId: string;
    agent: string;
    revision: string;
    message: MsgDraft;
    /** `inputEvent` is made by the store from the message that it placed; these come after it. */
    events: EventBody[];
  }): Promise<TurnRecord>;
  get(ref: SessionRef, turn: number): Promise<TurnRecord | undefined>;
  /** The turn that this input became. */
  ofInput(ref: SessionRef, inputId: string): Promise<TurnRecord | undefined>;
  /** Newest first. */
  list(ref: SessionRef, page: PageRequest): Promise<Page<TurnRecord>>;
  /** The newest input ids with their turns, oldest first. */
  recentInputs(ref: SessionRef, limit: number): Promise<{ inputId: string; turn: number }[]>;
  /**
   * Marks a turn, and with it the session, as running or waiting, and appends the events; a `run_start` among them begins its next run.
   * Ended turns stay as they are, and one that is
   * in that state already is a repeat: nothing is appended.
   */
  setState(ref: SessionRef, turn: number, state: 'running' | 'waiting', events: EventBody[]): Promise<void>;
  /**
   * Ends a turn: gives every call of it that has no result the given interrupted result, appends the events, adds the usage to the
   * session's, and makes the session idle. Ephemeral events of the turn are deleted, and so are answers to its calls that were kept under
   * seal. A second close changes nothing.
   */
  close(input: {
    ref: SessionRef;
    turn: number;
    finishReason: FinishReason;
    usage: Usage;
    replyMessageId?: string;
    error?: TurnError;
    /** Adds the turn to the session's `excludedTurns`. */
    isExcluded?: boolean;
    /** Text of the results that pair the calls left open; where one may have happened, its result and the audit say so. */
    danglingResult: string;
    events: EventBody[];
  }): Promise<TurnRecord>;
}

export interface MessageStore {
  /** Appends messages at the head, in order, each with an `input` or `hint` event; those whose id is there already are left alone. */
  append(ref: SessionRef, messages: MsgDraft[]): Promise<Msg[]>;
  /** Messages with `fromSeq <= seq <= toSeq`, in order: one query. */
  range(ref: SessionRef, fromSeq: number, toSeq: number): Promise<Msg[]>;
  /** Seq, role, turn and estimated tokens of each message of that range, without its content: what a context is planned on. */
  outline(ref: SessionRef, fromSeq: number, toSeq: number): Promise<MessageOutline[]>;
  get(ref: SessionRef, id: string): Promise<Msg | undefined>;
  /** In order of seq; `newest`: the other way round. */
  list(ref: SessionRef, page: PageRequest & { order?: MessageOrder }): Promise<Page<Msg>>;
}

/** What comes first. */
export type MessageOrder = 'oldest' | 'newest';

export interface MessageOutline {
  seq: number;
  turn: number;
  role: Msg['role'];
  /** Estimated as UTF-8 bytes of the content's JSON / 4. */
  tokens: number;
}

export interface EventStore {
  /**
   * Appends streamed events of an unfinished message; they are deleted when it is committed, or its turn closes. After that nothing is
   * appended and the answer is empty: a worker that was thought dead may still stream. What goes on in the background may outlive its turn:
   * it stays until `slots.update` forgets it.
   */
  appendEphemeral(
    ref: SessionRef,
    turn: number,
    messageId: string,
    bodies: EventBody[],
    options?: { isBackground?: boolean },
  ): Promise<{ id: number; at: string }[]>;
  appendDurable(ref: SessionRef, turn: number, bodies: EventBody[]): Promise<{ id: number; at: string }[]>;
  /**
   * Events with an id above `after`, in order, at most `limit` (default 1,000). A merged delta that `after` lies inside is returned
   * with the rest of its text only.
   */
  read(ref: SessionRef, after: number, limit?: number): Promise<AgentEvent[]>;
}

export interface BlobStore {
  /** Keeps a large input under the given id; a repeat changes nothing. */
  put(ref: SessionRef, id: string, parts: InputPart[]): Promise<void>;
  get(ref: SessionRef, id: string): Promise<InputPart[] | undefined>;
  /** Deletes all whose id begins so. */
  remove(ref: SessionRef, prefix: string): Promise<void>;
}

/** Small named values of a session, each changed in a transaction of its own: active tool groups, tasks, a team's roster. */
export interface SlotStore {
  get(ref: SessionRef, name: string): Promise<Json | undefined>;
  /** All of a session's values by name. */
  all(ref: SessionRef): Promise<Record<string, Json>>;
  /**
   * Replaces a value by what `change` makes of it, and appends its events. Changes of one session come one after the other: none is lost.
   * A change that answers the very value that it was given, and no event, writes nothing.
   */
  update(
    ref: SessionRef,
    name: string,
    change: (now: Json | undefined) => SlotChange,
  ): Promise<Json | undefined>;
}

export interface SlotChange {
  /** `undefined` deletes it. */
  value: Json | undefined;
  /** Appended to the session's log, as events of this turn. */
  events?: { turn: number; bodies: EventBody[] };
  /** Streamed events of this message go. */
  forgets?: string;
}

/** Sealed secrets of owners: the store can't read them (vault.ts). */
export interface SecretStore {
  get(owner: string, name: string): Promise<string | undefined>;
  /** Replaces it; `undefined` deletes it. */
  set(owner: string, name: string, sealed: string | undefined): Promise<void>;
}

/** A key of the HTTP API, without what proves it. */
export interface ApiKeyRecord {
  id: string;
  owner: string;
  /** Who uses it, in the audit. */
  name: string;
  scopes: string[];
  roles: string[];
  createdAt: string;
  expiresAt?: string;
  revokedAt?: string;
  /** To the minute. */
  lastUsedAt?: string;
}

export interface ApiKeyStore {
  create(
    key: Omit<ApiKeyRecord, 'createdAt' | 'revokedAt' | 'lastUsedAt'> & { hash: string },
  ): Promise<ApiKeyRecord>;
  get(id: string): Promise<(ApiKeyRecord & { hash: string }) | undefined>;
  /** Oldest first, revoked ones too. */
  list(owner: string, page: PageRequest): Promise<Page<ApiKeyRecord>>;
  /** Undefined when the owner has no such key; a repeat keeps the first time. */
  revoke(owner: string, id: string): Promise<ApiKeyRecord | undefined>;
  touch(id: string, at: string): Promise<void>;
  /** Whether any was ever made. */
  hasAny(): Promise<boolean>;
}

/** What the turns of an agent that ended on a day (UTC, `2026-01-31`) came to. */
export interface DayUsage {
  day: string;
  agent: string;
  turns: number;
  usage: Usage;
}

export interface UsageStore {
  /** Of the days from `from` to `to`, both included, by day and agent. It stays when sessions are erased. */
  list(owner: string, from: string, to: string): Promise<DayUsage[]>;
}
