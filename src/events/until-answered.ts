import { setTimeout as delay } from 'node:timers/promises';
import { StoreUnavailableError } from '../store/store-errors.ts';

const maxPauseMs = 5_000;

/** Asks until the store answers; undefined once the signal aborts. */
export async function untilAnswered<T>(ask: () => Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
  for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    if (signal?.aborted) return undefined;
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
    }
    await delay(pauseMs * (0.5 + Math.random() / 2), undefined, signal && { signal }).catch(() => {});
  }
}
