import type { SecretStore } from '../store.ts';
import { query } from './sql-context.ts';
import type { SqlContext } from './sql-context.ts';

export function sqlSecrets(context: SqlContext): SecretStore {
  return {
    get: (owner, name) =>
      query(context, async (db) => {
        const row = await db
          .selectFrom('durascope_secrets')
          .select('sealed')
          .where('owner', '=', owner)
          .where('name', '=', name)
          .executeTakeFirst();
        return row?.sealed;
      }),

    set: (owner, name, sealed) =>
      query(context, async (db) => {
        await db.transaction().execute(async (trx) => {
          if (sealed === undefined)
            await trx
              .deleteFrom('durascope_secrets')
              .where('owner', '=', owner)
              .where('name', '=', name)
              .execute();
          else
            await trx
              .insertInto('durascope_secrets')
              .values({ owner, name, sealed })
              .onConflict((conflict) => conflict.columns(['owner', 'name']).doUpdateSet({ sealed }))
              .execute();
        });
      }),
  };
}
