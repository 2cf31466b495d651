import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailableError } from '../store/store-errors.ts';

const firstPauseMs = 100;
const longestPauseMs = 2_000;

/**
 * Commits what has been paid for or done already: while the store is away it tries again, because giving up would mean to call the model
 * twice, or not to know whether a tool acted.
 */
export async function outlastStore<T>(signal: AbortSignal, commit: () => Promise<T>): Promise<T> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await commit();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError) || signal.aborted) throw error;
      await sleep(pauseMs);
    }
  }
}
