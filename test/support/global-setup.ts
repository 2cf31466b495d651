import { ensurePostgres } from './find-postgres.ts';

/** Brings what the suites need before the first test starts, so that no test waits for a download. */
export function setup(): void {
  ensurePostgres();
}
