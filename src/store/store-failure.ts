import { StoreUnavailableError } from './store-errors.ts';

const sqliteBusy = 5;
/** BUSY, LOCKED, IOERR, FULL, CANTOPEN: of the machine and the moment, not of the statement. */
const sqlitePassing = new Set([sqliteBusy, 6, 10, 13, 14]);

/**
 * Connection exceptions (08), operator intervention (57P), insufficient resources (53), serialization and deadlock (40), and a server
 * that has become a read-only replica (25006).
 */
const postgresPassing = /^(08...|57P..|53...|40...|25006)$/;

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** What `pg` and its pool throw without a code. */
const connectionLost =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|Postgres connection has been discarded)/;

/** What a back end threw, as the store's callers know it: failures that pass become `StoreUnavailableError`, the rest stay as they are. */
export function toStoreFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StoreUnavailableError || !isPassing(error)) return error;
  return new StoreUnavailableError(
    `The store did not answer (${error.message || codeOf(error)}). Check DURASCOPE_STORE and that its server or disk is there; the call may be repeated`,
    { cause: error },
  );
}

export function isBusy(error: unknown): boolean {
  return sqliteCode(error) === sqliteBusy;
}

function isPassing(error: Error): boolean {
  const sqlite = sqliteCode(error);
  if (sqlite !== undefined) return sqlitePassing.has(sqlite);
  const code = codeOf(error);
  return networkCodes.has(code) || postgresPassing.test(code) || connectionLost.test(error.message);
}

/** The primary result code: the low byte of an extended one. */
function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined;
  return error.errcode & 0xff;
}

/** A connection to several addresses fails with one error for each: they tell the same. */
function codeOf(error: Error): string {
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof AggregateError && error.errors[0] instanceof Error ? codeOf(error.errors[0]) : '';
}
