import type { CallRecord } from '../store/call-store.ts';

/** What takes longer than this is shown as running. */
const quickMs = 20;

/**
 * The mark in the ledger that a call has begun. One that acts has it before: it tells the next attempt that the call may have happened. One
 * that may be repeated needs it only to be shown: where it runs elsewhere, and can't hold up the timer, a quick call is over before, and its
 * mark is written with its result, in one transaction.
 */
export class CallMark {
  readonly begunAt = new Date().toISOString();
  readonly #write: () => Promise<CallRecord>;
  #written: Promise<CallRecord> | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param write marks the call and returns it as it was before. */
  constructor(write: () => Promise<CallRecord>) {
    this.#write = write;
  }

  /** Writes the mark, once. @returns the call as it was before. */
  make(): Promise<CallRecord> {
    clearTimeout(this.#timer);
    this.#written ??= this.#write().catch((error: unknown) => {
      this.#written = undefined;
      throw error;
    });
    return this.#written;
  }

  makeSoon(): void {
    this.#timer = setTimeout(() => void this.make().catch(() => undefined), quickMs);
  }

  /** Ends the wait: no mark is on its way any more. */
  async rest(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#written?.catch(() => undefined);
  }
}
