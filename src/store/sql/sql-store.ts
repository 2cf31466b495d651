import { CompiledQuery, Kysely } from 'kysely';
import type { Dialect } from 'kysely';
import type { EventBus } from '../../events/event-bus.ts';
import type { Store } from '../store.ts';
import { toStoreFailure } from '../store-failure.ts';
import { sqlApiKeys } from './api-keys.ts';
import { sqlAudit } from './audit.ts';
import { sqlBlobs } from './blobs.ts';
import { sqlCalls } from './calls.ts';
import { sqlEvents } from './events.ts';
import { sqlMessages } from './messages.ts';
import { migrate } from './migrations.ts';
import type { Database } from './schema.ts';
import { sqlSessions } from './sessions.ts';
import { sqlSlots } from './slots.ts';
import { sqlSecrets } from './secrets.ts';
import { query } from './sql-context.ts';
import type { SqlContext, SqlDialect } from './sql-context.ts';
import { sqlTurns } from './turns.ts';
import { sqlUsage } from './usage.ts';

/** The store over one SQL database, migrated. Each write wakes the bus after its commit. */
export async function openSqlStore(driver: Dialect, dialect: SqlDialect, bus: EventBus): Promise<Store> {
  const db = new Kysely<Database>({ dialect: driver });
  try {
    await migrate(db, dialect);
  } catch (error) {
    await db.destroy();
    throw toStoreFailure(error);
  }
  const context: SqlContext = { db, dialect, bus };
  return {
    sessions: sqlSessions(context),
    turns: sqlTurns(context),
    messages: sqlMessages(context),
    calls: sqlCalls(context),
    events: sqlEvents(context),
    audit: sqlAudit(context),
    blobs: sqlBlobs(context),
    secrets: sqlSecrets(context),
    slots: sqlSlots(context),
    apiKeys: sqlApiKeys(context),
    usage: sqlUsage(context),
    ping: () =>
      query(context, async () => {
        await db.executeQuery(CompiledQuery.raw('select 1'));
      }),
    close: () => db.destroy(),
  };
}
