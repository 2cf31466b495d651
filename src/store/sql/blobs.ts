import type { InputPart } from '../../schema/message.ts';
import type { BlobStore } from '../store.ts';
import { query } from './sql-context.ts';
import type { SqlContext } from './sql-context.ts';

/** Keyed by the session's name, because a client writes its input before the session is opened. */
export function sqlBlobs(context: SqlContext): BlobStore {
  return {
    put: (ref, id, parts) =>
      query(context, async (db) => {
        await db.transaction().execute((trx) =>
          trx
            .insertInto('durascope_blobs')
            .values({ owner: ref.owner, session_id: ref.sessionId, id, parts: JSON.stringify(parts) })
            .onConflict((conflict) => conflict.columns(['owner', 'session_id', 'id']).doNothing())
            .execute(),
        );
      }),

    get: (ref, id) =>
      query(context, async (db) => {
        const row = await db
          .selectFrom('durascope_blobs')
          .select('parts')
          .where('owner', '=', ref.owner)
          .where('session_id', '=', ref.sessionId)
          .where('id', '=', id)
          .executeTakeFirst();
        return row && (JSON.parse(row.parts) as InputPart[]);
      }),
  };
}
