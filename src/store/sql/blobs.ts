import { sql, type Kysely } from 'kysely';
import type { InputPart } from '../../schema/message.ts';
import type { BlobStore } from '../store.ts';
import type { SessionRef } from '../../contracts/ids.ts';
import type { Database } from './schema.ts';
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

    remove: (ref, prefix) =>
      query(context, async (db) => {
        await db.transaction().execute((trx) => removeBlobs(trx, ref, prefix));
      }),
  };
}

export async function removeBlobs(
  db: Kysely<Database>,
  { owner, sessionId }: SessionRef,
  prefix: string,
): Promise<void> {
  await db
    .deleteFrom('durascope_blobs')
    .where('owner', '=', owner)
    .where('session_id', '=', sessionId)
    // Not `like`: ids hold underscores. Nor a range: the database may sort by another rule than byte order.
    .where(sql<boolean>`substr(id, 1, ${sql.lit(prefix.length)}) = ${prefix}`)
    .execute();
}
