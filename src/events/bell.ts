/** A wake is lost when a writer dies between its commit and the wake: nobody waits longer than this for what is there. */
export const recheckMs = 10_000;

/** Remembers that it was rung until it is reset, so that a ring during a read is not missed. Rings when the signal aborts. */
export class Bell {
  readonly #signal: AbortSignal | undefined;
  #isRung = false;
  #wait: (() => void) | undefined;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
    signal?.addEventListener('abort', this.ring);
  }

  readonly ring = (): void => {
    this.#isRung = true;
    this.#wait?.();
  };

  reset(): void {
    this.#isRung = false;
  }

  async rung(withinMs: number): Promise<void> {
    if (this.#isRung) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#wait = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wait = undefined;
  }

  dispose(): void {
    this.#signal?.removeEventListener('abort', this.ring);
  }
}
