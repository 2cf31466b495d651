import type { ApiKeyRecord, ApiKeyStore } from '../store.ts';
import { numberCursor, pageLimit, toPage } from './page.ts';
import type { ApiKeyRow } from './schema.ts';
import { query } from './sql-context.ts';
import type { SqlContext } from './sql-context.ts';

type Detail = Pick<ApiKeyRecord, 'name' | 'scopes' | 'roles'>;

export function sqlApiKeys(context: SqlContext): ApiKeyStore {
  return {
    create: ({ id, owner, hash, expiresAt, name, scopes, roles }) =>
      query(context, async (db) => {
        const row = {
          id,
          owner,
          hash,
          created_at: new Date().toISOString(),
          expires_at: expiresAt ?? null,
          revoked_at: null,
          last_used_at: null,
          detail: JSON.stringify({ name, scopes, roles } satisfies Detail),
        };
        await db.insertInto('durascope_api_keys').values(row).execute();
        return toKey(row);
      }),

    get: (id) =>
      query(context, async (db) => {
        const row = await db
          .selectFrom('durascope_api_keys')
          .selectAll()
          .where('id', '=', id)
          .executeTakeFirst();
        return row && { ...toKey(row), hash: row.hash };
      }),

    list: (owner, page) =>
      query(context, async (db) => {
        const limit = pageLimit(page);
        const rows = await db
          .selectFrom('durascope_api_keys')
          .selectAll()
          .where('owner', '=', owner)
          .where('num', '>', numberCursor(page) ?? 0)
          .orderBy('num')
          .limit(limit + 1)
          .execute();
        return toPage(rows, limit, { item: toKey, key: (row) => [row.num] });
      }),

    revoke: (owner, id) =>
      query(context, async (db) => {
        await db
          .updateTable('durascope_api_keys')
          .set({ revoked_at: new Date().toISOString() })
          .where('id', '=', id)
          .where('owner', '=', owner)
          .where('revoked_at', 'is', null)
          .execute();
        const row = await db
          .selectFrom('durascope_api_keys')
          .selectAll()
          .where('id', '=', id)
          .where('owner', '=', owner)
          .executeTakeFirst();
        return row && toKey(row);
      }),

    touch: (id, at) =>
      query(context, async (db) => {
        await db.updateTable('durascope_api_keys').set({ last_used_at: at }).where('id', '=', id).execute();
      }),

    hasAny: () =>
      query(context, async (db) => {
        const row = await db
          .selectFrom('durascope_api_keys')
          .select('num')
          .where('num', '>', 0)
          .orderBy('num')
          .limit(1)
          .executeTakeFirst();
        return row !== undefined;
      }),
  };
}

function toKey(row: Omit<ApiKeyRow, 'num'>): ApiKeyRecord {
  return {
    id: row.id,
    owner: row.owner,
    ...(JSON.parse(row.detail) as Detail),
    createdAt: row.created_at,
    ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
    ...(row.revoked_at === null ? {} : { revokedAt: row.revoked_at }),
    ...(row.last_used_at === null ? {} : { lastUsedAt: row.last_used_at }),
  };
}
