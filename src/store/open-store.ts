import type { EventBus } from '../events/event-bus.ts';
import { LocalBus } from '../events/local-bus.ts';
import { PostgresBus } from '../events/postgres-bus.ts';
import { SqliteBus } from '../events/sqlite-bus.ts';
import { postgresDialect } from './postgres.ts';
import { openSqlStore } from './sql/sql-store.ts';
import { sqliteDialect } from './sqlite.ts';
import { StoreUnavailableError } from './store-errors.ts';
import type { Store } from './store.ts';

export interface OpenStore {
  store: Store;
  bus: EventBus;
  /** Closes both. */
  close: () => Promise<void>;
}

/** The url of the store, or what it names, cannot be used: nothing that a repeat mends. */
export class StoreUrlError extends Error {
  readonly code = 'StoreUrl';
  constructor(problem: string, options?: ErrorOptions) {
    super(
      `${problem}. Set DURASCOPE_STORE to sqlite:PATH (for one machine) or postgres://USER:PASSWORD@HOST:PORT/DATABASE`,
      options,
    );
    this.name = 'StoreUrlError';
  }
}

/**
 * Opens the store and its bus, and brings the tables up to date.
 *
 * @param url `sqlite:PATH`, `sqlite::memory:` (gone with the process), or `postgres://…`
 * @throws StoreUrlError for a url of neither form; StoreUnavailableError when nothing answers there.
 * @example const { store, bus, close } = await openStore('sqlite:.durascope/store.db');
 */
export async function openStore(url: string): Promise<OpenStore> {
  if (/^postgres(ql)?:\/\//.test(url)) {
    requirePostgresUrl(url);
    return assemble(url, new PostgresBus(url), (bus) => openSqlStore(postgresDialect(url), 'postgres', bus));
  }
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  if (path === undefined) throw new StoreUrlError(`"${withoutPassword(url)}" names no store`);
  const bus = path === ':memory:' ? new LocalBus() : new SqliteBus(path);
  return assemble(url, bus, (bus) => openSqlStore(sqliteDialect(path), 'sqlite', bus));
}

async function assemble(
  url: string,
  bus: EventBus,
  open: (bus: EventBus) => Promise<Store>,
): Promise<OpenStore> {
  const store = await open(bus).catch((error: unknown) => {
    if (error instanceof StoreUnavailableError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreUrlError(`The store ${withoutPassword(url)} cannot be opened: ${reason}`, {
      cause: error,
    });
  });
  return {
    store,
    bus,
    async close() {
      await bus.close();
      await store.close();
    },
  };
}

function requirePostgresUrl(url: string): void {
  if (!URL.canParse(url)) throw new StoreUrlError(`"${withoutPassword(url)}" is no url`);
}

function withoutPassword(url: string): string {
  return url.replace(/:\/\/[^@/]*@/, '://…@');
}
