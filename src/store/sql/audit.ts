import type { AuditDraft, AuditEntry, AuditStore } from '../call-store.ts';
import { numberCursor, pageLimit, toPage } from './page.ts';
import type { AuditRow } from './schema.ts';
import { sessionKey } from './sessions.ts';
import { query } from './sql-context.ts';
import type { SqlContext } from './sql-context.ts';

type Entry = AuditDraft & Pick<AuditEntry, 'tool'>;

export function sqlAudit(context: SqlContext): AuditStore {
  return {
    list: (ref, page) =>
      query(context, async (db) => {
        const limit = pageLimit(page);
        let select = db
          .selectFrom('durascope_audit')
          .selectAll()
          .where('session', '=', sessionKey(ref))
          .where('id', '>', numberCursor(page) ?? 0);
        if (page.callId !== undefined) select = select.where('call_id', '=', page.callId);
        const rows = await select
          .orderBy('id')
          .limit(limit + 1)
          .execute();
        return toPage(rows, limit, { item: toEntry, key: (row) => [row.id] });
      }),
  };
}

function toEntry(row: AuditRow): AuditEntry {
  return {
    id: row.id,
    at: row.at,
    turn: row.turn,
    callId: row.call_id,
    ...(JSON.parse(row.entry) as Entry),
  };
}
