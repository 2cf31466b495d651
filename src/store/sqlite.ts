import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely';
import { DatabaseSync } from './node-sqlite.ts';
import type { SQLInputValue, StatementSync } from './node-sqlite.ts';
import { isBusy } from './store-failure.ts';

/**
 * How long a statement waits for another connection's lock. SQLite's own waiting would stop the whole event loop, and with it a
 * transaction of another connection of this very process.
 */
const patienceMs = 10_000;
const statementCacheSize = 200;

/** A connection as every process of one store opens it. */
export function openSqliteFile(path: string): DatabaseSync {
  if (path !== ':memory:') makePrivate(path);
  const database = new DatabaseSync(path, { timeout: 0 });
  database.exec(
    // Secrets that were kept while a call needed them leave no trace in the file's free pages.
    'pragma synchronous = normal; pragma foreign_keys = on; pragma temp_store = memory; pragma secure_delete = on',
  );
  return database;
}

/**
 * What was said is nobody else's on this machine. SQLite gives its other files the mode of the first. A file that is there is not opened:
 * closing it would drop the locks of this process's other connections.
 */
function makePrivate(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  if (existsSync(path)) return;
  try {
    closeSync(openSync(path, 'ax', 0o600));
  } catch (error) {
    // Another process was first.
    if (!existsSync(path)) throw error;
  }
}

/** Drives one `node:sqlite` connection. Kysely's mutex lets one transaction at a time use it. */
export function sqliteDialect(path: string): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => sqliteDriver(path),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

function sqliteDriver(path: string): Driver {
  let database: DatabaseSync | undefined;
  let connection: SqliteConnection | undefined;
  const run = (statement: string): void => void connection?.prepare(statement).run();
  return {
    async init() {
      const opened = openSqliteFile(path);
      database = opened;
      await patiently(() => opened.exec('pragma journal_mode = wal'));
      connection = new SqliteConnection(opened);
    },
    async acquireConnection() {
      if (!connection) throw new Error('The SQLite driver was used before its init');
      return connection;
    },
    // Immediate, because a read that turns into a write fails at once when another process wrote in between.
    beginTransaction: () => patiently(() => run('begin immediate')),
    async commitTransaction() {
      run('commit');
    },
    async rollbackTransaction() {
      try {
        run('rollback');
      } catch (error) {
        // Some failures (disk full, I/O) have rolled back already.
        if (!String(error).includes('no transaction is active')) throw error;
      }
    },
    async releaseConnection() {},
    async destroy() {
      database?.close();
    },
  };
}

async function patiently<T>(act: () => T): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 50)) {
    try {
      return act();
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) throw error;
      await delay(pauseMs * Math.random());
    }
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    // `all` also runs statements that return nothing.
    const run = (): unknown[] => this.prepare(query.sql).all(...(query.parameters as SQLInputValue[]));
    return { rows: (await patiently(run)) as R[] };
  }

  // eslint-disable-next-line require-yield
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('The store reads in pages, it never streams a query');
  }

  /** Kept prepared: to parse a statement takes as long as to run it. */
  prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    // Moved to the end: the map's first key is the one that was used longest ago.
    if (known) this.#statements.delete(sql);
    const statement = known ?? this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    if (this.#statements.size > statementCacheSize)
      this.#statements.delete(this.#statements.keys().next().value!);
    return statement;
  }
}
