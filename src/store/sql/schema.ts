import type { Generated, Insertable, Selectable } from 'kysely';
import type { Relay } from '../../core/lineage.ts';
import type { CallState } from '../../core/next-action.ts';
import type { FinishReason, Role } from '../../schema/message.ts';
import type { SessionState, TurnState } from '../store.ts';

/*
 * Types of the tables that migrations.ts makes. `session` is the surrogate key of a session, so that rows and indexes stay narrow. A column
 * with JSON holds text, never a database's own JSON type: content comes back byte for byte, whatever it holds.
 */

export interface Database {
  durascope_sessions: SessionTable;
  durascope_turns: TurnTable;
  durascope_messages: MessageTable;
  durascope_calls: CallTable;
  durascope_events: EventTable;
  durascope_blobs: BlobTable;
  durascope_audit: AuditTable;
  durascope_secrets: SecretTable;
  durascope_slots: SlotTable;
  durascope_api_keys: ApiKeyTable;
  durascope_usage: UsageTable;
  durascope_lineage: LineageTable;
}

interface SecretTable {
  owner: string;
  name: string;
  sealed: string;
}

interface SessionTable {
  id: Generated<number>;
  owner: string;
  session_id: string;
  agent: string;
  state: SessionState;
  head: number;
  context_from: number;
  /** JSON of turn numbers. */
  excluded_turns: string;
  last_event_id: number;
  last_turn: number;
  created_at: string;
  updated_at: string;
  usage: string;
  control: string;
  /** JSON of mode and rules. */
  permissions: string;
  /** JSON of where it hangs in a tree of sessions; null at the top. */
  lineage: string | null;
  /** 0 or 1: begun by its parent, and listed below it only. */
  is_child: number;
  /** JSON of what its maker noted. */
  metadata: Generated<string>;
  /** 0 or 1: a workflow numbers its turns. */
  is_claimed: Generated<number>;
}
export type SessionRow = Selectable<SessionTable>;

interface TurnTable {
  session: number;
  turn: number;
  input_id: string;
  agent: string;
  revision: string;
  run: number;
  state: TurnState;
  finish_reason: FinishReason | null;
  reply_message_id: string | null;
  started_at: string;
  ended_at: string | null;
  usage: string;
  error: string | null;
}
export type TurnRow = Selectable<TurnTable>;

interface MessageTable {
  session: number;
  seq: number;
  id: string;
  turn: number;
  step: number;
  role: Role;
  tokens: number;
  /** JSON of what else a message has, besides its content. */
  detail: string;
  content: string;
}
export type MessageRow = Selectable<MessageTable>;

interface CallTable {
  id: Generated<number>;
  session: number;
  owner: string;
  call_id: string;
  turn: number;
  step: number;
  idx: number;
  /** Reserved for the result. */
  seq: number;
  message_id: string;
  state: CallState;
  /** 0 or 1. */
  is_dispatched: number;
  attempts: number;
  created_at: string;
  ended_at: string | null;
  /** JSON of what the model or a person wrote: any text at all, NUL and lone surrogates included. */
  detail: string;
}
export type CallRow = Selectable<CallTable>;

interface EventTable {
  session: number;
  id: number;
  turn: number;
  at: string;
  /** The unfinished message that this streamed event goes away with; null when durable. */
  ephemeral_of: string | null;
  /** Seq of the message that the body carries: it is read from its own row, so that content is stored once. */
  message_seq: number | null;
  cuts: string | null;
  body: string;
  /** Of a copy: the session below in which it happened, its id there, and JSON of the names that lead there. `turn` and `message_seq` are that session's. */
  origin: number | null;
  origin_id: number | null;
  path: string | null;
}
export type NewEvent = Insertable<EventTable>;

interface AuditTable {
  id: Generated<number>;
  session: number;
  turn: number;
  call_id: string;
  at: string;
  /** JSON of the decision. */
  entry: string;
}
export type AuditRow = Selectable<AuditTable>;

interface BlobTable {
  owner: string;
  session_id: string;
  id: string;
  parts: string;
}

interface SlotTable {
  session: number;
  name: string;
  value: string;
}

/** Each session with each of its ancestors. */
interface LineageTable {
  descendant: number;
  /** 1 is the parent. */
  depth: number;
  ancestor: number;
  /** JSON of the names from the ancestor down. */
  path: string;
  relay: Relay;
}
export type LineageRow = Selectable<LineageTable>;

interface ApiKeyTable {
  num: Generated<number>;
  id: string;
  owner: string;
  hash: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  /** JSON of name, scopes and roles. */
  detail: string;
}
export type ApiKeyRow = Selectable<ApiKeyTable>;

interface UsageTable {
  owner: string;
  day: string;
  agent: string;
  turns: number;
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens: number;
  reasoning_tokens: number;
}
