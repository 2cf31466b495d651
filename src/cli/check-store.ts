import { existsSync } from 'node:fs';
import { publicStore } from '../settings/settings.ts';
import { openStore } from '../store/open-store.ts';
import { fail, ok, type Check } from './check.ts';
import { describeError } from './report-error.ts';

/** Does the store answer, and are its tables of this version? Opening it brings them up to date; a file that is not there is not made. */
export async function checkStore(url: string): Promise<Check> {
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  if (path !== undefined && path !== ':memory:' && !existsSync(path))
    return ok('store', `${url} is made at its first use`);
  try {
    const content = await openStore(url);
    try {
      await content.store.ping();
    } finally {
      await content.close();
    }
    return ok('store', `${publicStore(url)} answers, its tables are up to date`);
  } catch (error) {
    return fail(
      'store',
      describeError(error).message,
      'correct DURASCOPE_STORE, --store or the config, or start its server',
    );
  }
}
