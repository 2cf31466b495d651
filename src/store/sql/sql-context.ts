import type { Kysely, Transaction } from 'kysely';
import type { SessionRef } from '../../contracts/ids.ts';
import type { EventBus } from '../../events/event-bus.ts';
import { toStoreFailure } from '../store-failure.ts';
import { NotInStoreError } from '../store-errors.ts';
import { relay } from './relay.ts';
import { runPrepared } from './run-prepared.ts';
import type { Database } from './schema.ts';
import { SessionWriter } from './session-writer.ts';

export type SqlDialect = 'sqlite' | 'postgres';

/** What the parts of one SQL store share. */
export interface SqlContext {
  db: Kysely<Database>;
  dialect: SqlDialect;
  bus: EventBus;
}

/** Runs queries that change nothing, or one that needs no session's lock. */
export async function query<T>(context: SqlContext, run: (db: Kysely<Database>) => Promise<T>): Promise<T> {
  try {
    return await run(context.db);
  } catch (error) {
    throw toStoreFailure(error);
  }
}

/**
 * One transaction that holds the session's row, so that seqs and event ids are given in the order in which writers commit.
 *
 * Subscribers are woken after each, a repeat that wrote nothing included: the process of the first one may have died between its commit
 * and its wake.
 */
export async function write<T>(
  context: SqlContext,
  ref: SessionRef,
  act: (session: SessionWriter) => Promise<T>,
): Promise<T> {
  const { result, reached } = await query(context, (db) =>
    db.transaction().execute(async (trx) => {
      const session = new SessionWriter(trx, await lockSession(context, trx, ref));
      const result = await act(session);
      await session.flush();
      return { result, reached: await relay(context.dialect, session) };
    }),
  );
  for (const woken of [ref, ...reached]) context.bus.wake(woken);
  return result;
}

/** For transactions that take the locks of several sessions: those below come first. */
export async function lockSession(context: SqlContext, trx: Transaction<Database>, ref: SessionRef) {
  const { owner, sessionId } = ref;
  const [row] = await runPrepared(trx, 'locked session', { owner, sessionId }, (values) =>
    trx
      .selectFrom('durascope_sessions')
      .selectAll()
      .where('owner', '=', values.owner)
      .where('session_id', '=', values.sessionId)
      // SQLite holds the whole file from the begin on.
      .$if(context.dialect === 'postgres', (builder) => builder.forNoKeyUpdate()),
  );
  if (!row)
    throw new NotInStoreError(`Session ${ref.owner}/${ref.sessionId}`, 'open it first (sessions.open)');
  return row;
}
