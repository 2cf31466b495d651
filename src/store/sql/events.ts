import { sql } from 'kysely';
import { turnIdOf } from '../../contracts/ids.ts';
import type { SessionRef } from '../../contracts/ids.ts';
import { bodyAfter } from '../../core/compact-events.ts';
import type { KeptEvent } from '../../core/compact-events.ts';
import type { AgentEvent, EventBody } from '../../schema/event.ts';
import type { EventStore } from '../store.ts';
import { toMessage } from './message-row.ts';
import type { messageColumns } from './message-row.ts';
import type { MessageRow } from './schema.ts';
import type { SessionWriter } from './session-writer.ts';
import { sessionKey } from './sessions.ts';
import { query, write } from './sql-context.ts';
import type { SqlContext } from './sql-context.ts';

const defaultLimit = 1_000;

export function sqlEvents(context: SqlContext): EventStore {
  return {
    appendEphemeral: (ref, turn, messageId, bodies, { isBackground = false } = {}) =>
      write(context, ref, async (session) => {
        if (!isBackground && (await isOver(session, turn, messageId))) return [];
        return bodies.map((body) => session.appendEvent(turn, body, { ephemeral_of: messageId }));
      }),

    appendDurable: (ref, turn, bodies) =>
      write(context, ref, async (session) => bodies.map((body) => session.appendEvent(turn, body))),

    read: (ref, after, limit = defaultLimit) =>
      query(context, async (db) => {
        const rows = await db
          .selectFrom('durascope_events as e')
          .leftJoin('durascope_messages as m', (join) =>
            join
              .on('m.session', '=', sql<number>`coalesce(e.origin, e.session)`)
              .onRef('m.seq', '=', 'e.message_seq'),
          )
          .leftJoin('durascope_sessions as o', 'o.id', 'e.origin')
          .select(['e.id as event_id', 'e.turn as event_turn', 'e.at', 'e.cuts', 'e.body', 'e.path'])
          .select('o.session_id as origin_id')
          .select(['m.seq', 'm.id', 'm.turn', 'm.step', 'm.role', 'm.detail', 'm.content'])
          .where('e.session', '=', sessionKey(ref))
          .where('e.id', '>', after)
          .orderBy('e.id')
          .limit(limit)
          .execute();
        return rows.map((row) => toEvent(ref, row, after));
      }),
  };
}

/** Whether what is streamed for the message would come too late. */
async function isOver(session: SessionWriter, turn: number, messageId: string): Promise<boolean> {
  const over = await session.trx
    .selectFrom('durascope_turns')
    .select('turn')
    .where('session', '=', session.session.id)
    .where('turn', '=', turn)
    .where('state', '=', 'ended')
    .unionAll(
      session.trx
        .selectFrom('durascope_messages')
        .select('turn')
        .where('session', '=', session.session.id)
        .where('id', '=', messageId),
    )
    .executeTakeFirst();
  return over !== undefined;
}

type Nullable<T> = { [Key in keyof T]: T[Key] | null };
type ReadRow = {
  event_id: number;
  event_turn: number;
  at: string;
  cuts: string | null;
  body: string;
  path: string | null;
  /** The session that a copy was made of. */
  origin_id: string | null;
} & Nullable<Omit<MessageRow, 'session' | 'tokens'>>;

function toEvent(ref: SessionRef, row: ReadRow, after: number): AgentEvent {
  const body = JSON.parse(row.body) as EventBody;
  const cuts = row.cuts === null ? undefined : (JSON.parse(row.cuts) as KeptEvent['cuts']);
  const hasMessage = row.seq !== null;
  const sessionId = row.origin_id ?? ref.sessionId;
  return {
    ...bodyAfter(cuts ? { body, cuts } : { body }, after),
    ...(hasMessage ? { message: toMessage(row as Pick<MessageRow, (typeof messageColumns)[number]>) } : {}),
    id: row.event_id,
    sessionId,
    turnId: turnIdOf({ owner: ref.owner, sessionId }, row.event_turn),
    at: row.at,
    ...(row.path === null ? {} : { path: JSON.parse(row.path) as string[] }),
  } as AgentEvent;
}
