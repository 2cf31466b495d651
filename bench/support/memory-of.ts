import { setTimeout as delay } from 'node:timers/promises';

/** Megabytes that this process holds, after its garbage was collected (`--expose-gc`). */
export async function memoryOf(): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc?.();
    await delay(100);
  }
  return process.memoryUsage.rss() / 1e6;
}
