import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { LocalBus } from '../../src/events/local-bus.ts';
import { DatabaseSync } from '../../src/store/node-sqlite.ts';
import { openSqlStore } from '../../src/store/sql/sql-store.ts';
import { sqliteDialect } from '../../src/store/sqlite.ts';
import { recording, useAll } from './every-statement.ts';
import { openedTurn, userMessage } from './sample-session.ts';

const folder = mkdtempSync(join(tmpdir(), 'durascope-plans-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('every statement of the store', () => {
  it('finds its rows by an index, and needs no sort: a million sessions cost one no more', async () => {
    const path = join(folder, 'store.db');
    const statements = new Set<string>();
    const store = await openSqlStore(
      recording(sqliteDialect(path), (sql) => statements.add(sql)),
      'sqlite',
      new LocalBus(),
    );
    statements.clear();
    await useAll(store);
    await store.close();

    const database = new DatabaseSync(path);
    const slow = [...statements]
      .filter((sql) => /^(select|update|delete)/.test(sql))
      .map((sql) => ({ sql, plan: planOf(database, sql) }))
      .filter(
        ({ sql, plan }) => /SCAN (?!CONSTANT)|TEMP B-TREE/.test(plan) || touchesWholeSession(sql, plan),
      );
    database.close();
    expect(slow).toEqual([]);
    expect(statements.size).toBeGreaterThan(30);
  });

  it('reads a context in one statement, however long', async () => {
    const statements: string[] = [];
    const store = await openSqlStore(
      recording(sqliteDialect(':memory:'), (sql) => statements.push(sql)),
      'sqlite',
      new LocalBus(),
    );
    const ref = await openedTurn(store);
    await store.messages.append(
      ref,
      Array.from({ length: 10_000 }, (_, i) => userMessage(`1/m${i}`, 'x')),
    );
    statements.length = 0;
    expect(await store.messages.outline(ref, 1, 20_000)).toHaveLength(10_001);
    expect(await store.messages.range(ref, 1, 20_000)).toHaveLength(10_001);
    expect(statements).toHaveLength(2);
    await store.close();
  });
});

/** A read of a whole session ends at its limit; a write would not, and only the erasure of one is meant to. */
function touchesWholeSession(sql: string, plan: string): boolean {
  const isErasure = sql.startsWith('delete from "durascope_sessions"');
  return !isErasure && !sql.startsWith('select') && plan.includes('(session=?)');
}

function planOf(database: DatabaseSync, sql: string): string {
  const rows = database.prepare(`explain query plan ${sql}`).all();
  return rows.map((row) => row['detail']).join('; ');
}
