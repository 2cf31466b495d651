import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalBus } from '../../src/events/local-bus.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { OpenStore } from '../../src/store/open-store.ts';
import { postgresDialect } from '../../src/store/postgres.ts';
import { openSqlStore } from '../../src/store/sql/sql-store.ts';
import { StoreUnavailableError } from '../../src/store/store-errors.ts';
import { hasPostgres, startPostgres } from '../support/postgres.ts';
import type { TestPostgres } from '../support/postgres.ts';
import { recording, useAll } from './every-statement.ts';
import { allowedCall, kindsOf, openedTurn, result, step } from './sample-session.ts';
import { storeContract } from './store-contract.ts';

describe.skipIf(!hasPostgres())('on a PostgreSQL server', () => {
  let postgres: TestPostgres;
  let url: string;
  let opened: OpenStore;
  beforeAll(async () => {
    postgres = await startPostgres();
    url = await postgres.createDatabase();
    opened = await openStore(url);
  });
  afterAll(async () => {
    await opened.close();
    await postgres.stop();
  });
  storeContract('PostgreSQL', () => ({ opened, openAgain: () => openStore(url) }));

  it('is migrated once by processes that open it at once', async () => {
    const fresh = await postgres.createDatabase();
    const stores = await Promise.all([1, 2, 3, 4].map(() => openStore(fresh)));
    const ref = await openedTurn(stores[0]!.store);
    expect(await stores[3]!.store.sessions.get(ref)).toMatchObject({ head: 1 });
    for (const store of stores) await store.close();
  });

  it('finds what every statement asks for by an index, and sorts no list', async () => {
    const fresh = await postgres.createDatabase();
    const statements = new Map<string, readonly unknown[]>();
    const dialect = recording(postgresDialect(fresh), (sql, values) => void statements.set(sql, values));
    const store = await openSqlStore(dialect, 'postgres', new LocalBus());
    statements.clear();
    await useAll(store);
    await store.close();

    const slow: object[] = [];
    await withAdmin(fresh, async (admin) => {
      // Tables as small as these are read whole unless nothing else will do.
      await admin.query('set enable_seqscan = off; set enable_sort = off');
      for (const [sql, values] of statements) {
        if (!/^(select|update|delete)/.test(sql)) continue;
        const { rows } = await admin.query<{ 'QUERY PLAN': string }>(`explain ${sql}`, [...values]);
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
        if (/Seq Scan|Sort/.test(plan)) slow.push({ sql, plan });
      }
    });
    expect(slow).toEqual([]);
    expect(statements.size).toBeGreaterThan(30);
  });

  it('tells a connection that breaks in the middle of a write, and the write repeated is made once', async () => {
    const ref = await openedTurn(opened.store);
    await opened.store.calls.commitStep(step(ref, 1, [allowedCall('c1')]));
    const settle = () => opened.store.calls.settle(ref, 'c1', result('c1', 'done'));
    await withAdmin(url, async (admin) => {
      await admin.query('begin');
      await admin.query('select 1 from durascope_sessions where owner = $1 for update', [ref.owner]);
      const broken = settle();
      const outcome = expect(broken).rejects.toThrow(StoreUnavailableError);
      await terminateWaiting(admin);
      await outcome;
      await admin.query('rollback');
    });
    expect(await settle()).toMatchObject({ state: 'success' });
    expect(await kindsOf(opened.store, ref, 3)).toEqual(['tool_result_end']);
  });

  it('outlasts a restart and a crash of the server, with what was committed', async () => {
    const ref = await openedTurn(opened.store);
    await postgres.restart();
    await untilBack(opened);
    expect(await opened.store.turns.get(ref, 1)).toMatchObject({ state: 'running' });

    await postgres.crash();
    await expect(opened.store.ping()).rejects.toThrow(StoreUnavailableError);
    await expect(openStore(url)).rejects.toThrow(StoreUnavailableError);
    await expect(openedTurn(opened.store)).rejects.toThrow('Check DURASCOPE_STORE');
    await postgres.restart();
    await untilBack(opened);
    expect(await opened.store.sessions.get(ref)).toMatchObject({ head: 1 });
  });

  it('says what is wrong with a database that is not there, and keeps the password to itself', async () => {
    const missing = url.replace('postgres@', 'postgres:secret@').replace(/test_\d+$/, 'nowhere');
    const opening = openStore(missing);
    await expect(opening).rejects.toMatchObject({ code: 'StoreUrl' });
    await expect(opening).rejects.toThrow(/nowhere.*does not exist.*DURASCOPE_STORE/);
    await expect(opening).rejects.not.toThrow('secret');
  });
});

/** Pooled connections learn that the server went away when they are used: one call each may fail. */
async function untilBack({ store }: OpenStore): Promise<void> {
  for (;;) {
    try {
      return await store.ping();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
    }
  }
}

async function withAdmin(url: string, act: (admin: Client) => Promise<void>): Promise<void> {
  const admin = new Client({ connectionString: url });
  await admin.connect();
  try {
    await act(admin);
  } finally {
    await admin.end();
  }
}

/** Ends the store's backend that waits for a lock, as soon as one does. */
async function terminateWaiting(admin: Client): Promise<void> {
  for (;;) {
    const { rowCount } = await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'durascope' and wait_event_type = 'Lock'`,
    );
    if (rowCount) return;
  }
}
