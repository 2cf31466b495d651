import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dialect } from 'kysely';
import { afterAll, describe, expect, it } from 'vitest';
import type { SessionRef } from '../../src/contracts/ids.ts';
import { LocalBus } from '../../src/events/local-bus.ts';
import { DatabaseSync } from '../../src/store/node-sqlite.ts';
import { openSqlStore } from '../../src/store/sql/sql-store.ts';
import { sqliteDialect } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import {
  allowedCall,
  closeTurn,
  openedTurn,
  result,
  step,
  textDelta,
  userMessage,
} from './sample-session.ts';

const folder = mkdtempSync(join(tmpdir(), 'durascope-plans-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('every statement of the store', () => {
  it('finds its rows by an index, and needs no sort: a million sessions cost one no more', async () => {
    const path = join(folder, 'store.db');
    const statements = new Set<string>();
    const store = await openSqlStore(recording(sqliteDialect(path), statements), 'sqlite', new LocalBus());
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
      recording(sqliteDialect(':memory:'), { add: (sql) => statements.push(sql) }),
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

/** The dialect, with each statement that passes noted. */
function recording(dialect: Dialect, statements: { add(sql: string): void }): Dialect {
  return {
    ...dialect,
    createDriver() {
      const driver = dialect.createDriver();
      return {
        ...driver,
        async acquireConnection() {
          const connection = await driver.acquireConnection();
          return {
            executeQuery(query, options) {
              statements.add(query.sql);
              return connection.executeQuery(query, options);
            },
            streamQuery: (query, size, options) => connection.streamQuery(query, size, options),
          };
        },
      };
    },
  };
}

async function useAll(store: Store): Promise<void> {
  const ref = await openedTurn(store, await openedChild(store));
  const cursor = (...key: unknown[]) => Buffer.from(JSON.stringify(key)).toString('base64url');
  await store.sessions.saveControl(ref, { queue: [] });
  await store.sessions.claim(ref, 'support');
  await store.sessions.release(ref);
  await store.sessions.enqueue(
    { ...ref, sessionId: 'new' },
    'support',
    { inputId: 'i', input: 'x' },
    { mayWait: true },
  );
  for (const filter of [
    {},
    { agent: 'a' },
    { state: 'idle' as const },
    { agent: 'a', state: 'idle' as const },
  ])
    for (const page of [{}, { cursor: cursor('2026', 1) }])
      await store.sessions.list(ref.owner, { ...filter, ...page });
  await store.messages.append(ref, [userMessage('1/steer/a', 'x')]);
  await store.messages.range(ref, 1, 2);
  await store.messages.outline(ref, 1, 2);
  await store.messages.get(ref, '1/input');
  await store.messages.list(ref, {});
  await store.events.appendEphemeral(ref, 1, '1/1', [textDelta('1/1', 'x')]);
  await store.calls.commitStep(step(ref, 1, [allowedCall('c1'), allowedCall('c2'), allowedCall('c3')]));
  await store.calls.step(ref, 1, 1);
  await store.calls.dispatch(ref, ['c1']);
  await store.calls.settle(ref, 'c1', result('c1', 'x'));
  await store.calls.move(ref, 'c2', { state: 'asking' });
  await store.calls.get(ref, 'c1');
  await store.calls.find(ref.owner, 'c1');
  await store.calls.ofTurn(ref, 1);
  await store.calls.open(ref.owner, {});
  await store.calls.open(ref.owner, { state: 'asking' });
  await store.events.appendDurable(ref, 1, [{ kind: 'interrupted', reason: 'x' }]);
  await store.events.read(ref, 0);
  await store.turns.setState(ref, 1, 'waiting', []);
  await store.turns.get(ref, 1);
  await store.turns.list(ref, {});
  await store.turns.list(ref, { cursor: cursor(3) });
  await store.turns.recentInputs(ref, 5);
  await store.blobs.put(ref, 'b', []);
  await store.blobs.get(ref, 'b');
  await store.blobs.remove(ref, 'b');
  await store.sessions.ancestors(ref);
  await store.sessions.children(ref, {});
  await store.calls.openBelow(ref);
  await closeTurn(store, ref, 1);
  await store.sessions.setLineage(ref, undefined);
  await store.usage.list(ref.owner, '2026-01-01', '2026-02-01');
  const { id } = await store.apiKeys.create({
    id: 'k',
    owner: ref.owner,
    hash: 'h',
    name: 'n',
    scopes: [],
    roles: [],
  });
  await store.apiKeys.get(id);
  await store.apiKeys.list(ref.owner, {});
  await store.apiKeys.touch(id, '2026');
  await store.apiKeys.revoke(ref.owner, id);
  await store.apiKeys.hasAny();
  await store.sessions.erase(ref);
}

/** Below another one, which gets copies of its events. */
async function openedChild(store: Store): Promise<SessionRef> {
  const parent = await openedTurn(store);
  const ref = { ...parent, sessionId: 'child' };
  await store.sessions.open(ref, 'support', {
    parent: parent.sessionId,
    kind: 'subagent',
    name: 'child',
    relay: 'all',
  });
  return ref;
}
