import type { Insertable, Transaction, Updateable } from 'kysely';
import type { EventBody, EventKind } from '../../schema/event.ts';
import type { Msg } from '../../schema/message.ts';
import type { AuditDraft } from '../call-store.ts';
import type { KeptEvent, MsgDraft, SessionState } from '../store.ts';
import { runPrepared } from './run-prepared.ts';
import { toMessageRow } from './message-row.ts';
import type { Database, MessageRow, NewEvent, SessionRow } from './schema.ts';

/** SQLite takes 32,766 parameters in a statement, PostgreSQL 65,535. */
const rowsPerInsert = 1_000;

/** An event's id and time, as the store gave them. */
export interface EventStamp {
  id: number;
  at: string;
}

/** Whose streamed events go. */
export type EphemeralOf = { messageId: string } | { turn: number };

/** What a transaction does to a session's log, in this order. */
export interface LogChanges {
  deleted: EphemeralOf[];
  /** Events that were streamed, under the ids that they had. */
  kept: NewEvent[];
  appended: { kind: EventKind; row: NewEvent }[];
}

/**
 * The writes of one transaction on one session, whose row it holds. Messages and events get their places at once and are written together
 * by `flush`.
 */
export class SessionWriter {
  readonly trx: Transaction<Database>;
  readonly now = new Date().toISOString();
  readonly session: SessionRow;
  #changes: Updateable<Database['durascope_sessions']> = {};
  #messages: MessageRow[] = [];
  readonly log: LogChanges = { deleted: [], kept: [], appended: [] };
  #audit: Insertable<Database['durascope_audit']>[] = [];

  constructor(trx: Transaction<Database>, session: SessionRow) {
    this.trx = trx;
    this.session = session;
  }

  /** Takes the next seqs, and returns the first of them. */
  reserveSeqs(count: number): number {
    const first = this.session.head + 1;
    this.change({ head: this.session.head + count });
    return first;
  }

  placeMessage(draft: MsgDraft, seq: number): Msg {
    const message = { ...draft, seq };
    this.#messages.push(toMessageRow(this.session.id, message));
    return message;
  }

  /** @param columns of which message it is streamed; when it happened, if that was not now. */
  appendEvent(
    turn: number,
    body: EventBody,
    columns: Partial<Pick<NewEvent, 'ephemeral_of' | 'at'>> = {},
  ): EventStamp {
    return this.#append(turn, body.kind, body, columns);
  }

  /** For a message that the transcript holds, which the body then need not repeat. */
  appendMessageEvent(turn: number, body: Extract<EventBody, { message: Msg }>): void {
    const { message, ...rest } = body;
    this.#append(turn, body.kind, rest, { message_seq: message.seq });
  }

  /** Events that were streamed under their own ids, and now stay. */
  keepEvents(turn: number, events: readonly KeptEvent[]): void {
    let last = this.session.last_event_id;
    for (const { id, at, body, cuts } of events) {
      this.log.kept.push({
        ...blankEvent,
        session: this.session.id,
        id,
        turn,
        at,
        cuts: cuts ? JSON.stringify(cuts) : null,
        body: JSON.stringify(body),
      });
      last = Math.max(last, id);
    }
    this.change({ last_event_id: last });
  }

  change(changes: Updateable<Database['durascope_sessions']>): void {
    Object.assign(this.session, changes);
    Object.assign(this.#changes, changes);
  }

  /** Marks what `turn` does as the session's state, unless a newer turn has begun. */
  changeState(turn: number, state: SessionState): void {
    if (turn >= this.session.last_turn) this.change({ state, last_turn: turn });
    this.change({ updated_at: this.now });
  }

  appendAudit(call: { turn: number; callId: string; tool: string }, draft: AuditDraft): void {
    this.#audit.push({
      session: this.session.id,
      turn: call.turn,
      call_id: call.callId,
      at: this.now,
      entry: JSON.stringify({ ...draft, tool: call.tool }),
    });
  }

  async deleteEphemeral(of: EphemeralOf): Promise<void> {
    this.log.deleted.push(of);
    await this.trx
      .deleteFrom('durascope_events')
      .where('session', '=', this.session.id)
      .where('ephemeral_of', 'is not', null)
      // Copies go with what they are copies of.
      .where('origin', 'is', null)
      .where((where) =>
        'turn' in of ? where('turn', '=', of.turn) : where('ephemeral_of', '=', of.messageId),
      )
      .execute();
  }

  async flush(): Promise<void> {
    for (const rows of chunks(this.#messages)) await insertRows(this.trx, 'durascope_messages', rows);
    await insertEvents(this.trx, [...this.log.kept, ...this.log.appended.map(({ row }) => row)]);
    for (const rows of chunks(this.#audit))
      await this.trx.insertInto('durascope_audit').values(rows).execute();
    this.#messages = [];
    this.#audit = [];
    if (Object.keys(this.#changes).length === 0) return;
    const { trx } = this;
    const shape = `change session ${Object.keys(this.#changes).join()}`;
    await runPrepared(trx, shape, { ...this.#changes, rowId: this.session.id }, ({ rowId, ...values }) =>
      trx.updateTable('durascope_sessions').set(values).where('id', '=', rowId),
    );
    this.#changes = {};
  }

  #append(turn: number, kind: EventKind, body: object, columns: Partial<NewEvent>): EventStamp {
    const id = this.session.last_event_id + 1;
    this.change({ last_event_id: id });
    const row = {
      ...blankEvent,
      session: this.session.id,
      id,
      turn,
      at: this.now,
      body: JSON.stringify(body),
      ...columns,
    };
    this.log.appended.push({ kind, row });
    return { id, at: row.at };
  }
}

const blankEvent = {
  ephemeral_of: null,
  message_seq: null,
  cuts: null,
  origin: null,
  origin_id: null,
  path: null,
};

export async function insertEvents(trx: Transaction<Database>, events: readonly NewEvent[]): Promise<void> {
  for (const rows of chunks(events)) await insertRows(trx, 'durascope_events', rows);
}

/** More rows at once are rare, and of any number. */
const preparedRows = 4;

async function insertRows<T extends 'durascope_events' | 'durascope_messages'>(
  trx: Transaction<Database>,
  table: T,
  rows: readonly Insertable<Database[T]>[],
): Promise<void> {
  const insert = (values: readonly Insertable<Database[T]>[]) => trx.insertInto(table).values(values);
  if (rows.length > preparedRows) return void (await insert(rows).execute());
  const shape = `insert ${table} ${rows.map((row) => Object.keys(row).join()).join(';')}`;
  const values = Object.fromEntries(
    rows.flatMap((row, i) => Object.entries(row).map(([column, value]) => [`${i}.${column}`, value])),
  );
  await runPrepared(trx, shape, values, (places) =>
    insert(
      rows.map(
        (row, i) =>
          Object.fromEntries(
            Object.keys(row).map((column) => [column, places[`${i}.${column}`]]),
          ) as Insertable<Database[T]>,
      ),
    ),
  );
}

function* chunks<T>(rows: readonly T[]): Iterable<T[]> {
  for (let start = 0; start < rows.length; start += rowsPerInsert)
    yield rows.slice(start, start + rowsPerInsert);
}
