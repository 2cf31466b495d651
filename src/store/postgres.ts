import { PostgresDialect } from 'kysely';
import type { Dialect } from 'kysely';
import { Pool, types } from 'pg';

/**
 * A pool of connections to one server. Connecting and every query have a limit, so that a server which vanished without a word
 * surfaces as an error.
 */
export function postgresDialect(url: string): Dialect {
  const pool = new Pool({
    connectionString: url,
    application_name: 'durascope',
    connectionTimeoutMillis: 5_000,
    query_timeout: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // Surrogate keys are bigint, and stay far below 2^53.
    types: {
      getTypeParser: (oid, format) =>
        oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format),
    },
  });
  // A connection that breaks leaves the pool by itself, and fails the query that it runs. It also emits an error, idle or not, which
  // without a listener would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return new PostgresDialect({ pool });
}
