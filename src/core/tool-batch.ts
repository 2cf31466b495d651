/** What batching needs to know of a call. */
export interface Batchable {
  concurrencySafe: boolean;
}

/** Splits calls, in order, into batches: neighbours that are concurrency-safe share one, an unsafe call is a batch of its own. */
export function planBatches<T extends Batchable>(calls: readonly T[]): T[][] {
  const batches: T[][] = [];
  for (const call of calls) {
    const last = batches.at(-1);
    if (last && call.concurrencySafe && last.every((other) => other.concurrencySafe)) last.push(call);
    else batches.push([call]);
  }
  return batches;
}
