import { ModelError } from './model-error.ts';
import type { ModelTimeouts } from './model.ts';

type Phase = keyof ModelTimeouts;

const missing: Record<Phase, string> = {
  connectMs: 'did not answer',
  firstTokenMs: 'sent no first token',
  idleMs: 'fell silent in the middle of its answer',
  totalMs: 'did not finish its answer',
};

/**
 * The time limits of one call, as one signal that also aborts with the caller's. Waiting counts only inside `waitFor`: a reader that is
 * slow to take the chunks is not the endpoint's silence. `totalMs` runs from the start to `stop`.
 */
export class CallClock {
  readonly #timeouts: ModelTimeouts;
  readonly #caller: AbortSignal;
  readonly #controller = new AbortController();
  readonly #total: NodeJS.Timeout;
  #phase: Phase = 'totalMs';
  #left = Infinity;

  constructor(timeouts: ModelTimeouts, caller: AbortSignal) {
    this.#timeouts = timeouts;
    this.#caller = caller;
    this.#total = setTimeout(() => this.#expire('totalMs'), timeouts.totalMs);
    if (caller.aborted) this.#follow();
    else caller.addEventListener('abort', this.#follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Begins a phase: from here on, waits may last so long together; `atMostMs` lowers its limit. */
  expect(phase: Phase, atMostMs = Infinity): void {
    this.#phase = phase;
    this.#left = Math.min(this.#timeouts[phase], atMostMs);
  }

  async waitFor<T>(pending: Promise<T>): Promise<T> {
    if (this.#left === Infinity) return pending;
    const since = performance.now();
    const timer = setTimeout(() => this.#expire(this.#phase), Math.max(0, this.#left));
    try {
      return await pending;
    } finally {
      clearTimeout(timer);
      this.#left -= performance.now() - since;
    }
  }

  /** Ends all limits and closes the connection if it is still open. */
  stop(): void {
    clearTimeout(this.#total);
    this.#caller.removeEventListener('abort', this.#follow);
    this.#controller.abort();
  }

  readonly #follow = (): void => this.#controller.abort(this.#caller.reason);

  #expire(phase: Phase): void {
    const limit = this.#timeouts[phase];
    this.#controller.abort(
      new ModelError(
        'timeout',
        `The model endpoint ${missing[phase]} within ${limit} ms (timeouts.${phase})`,
      ),
    );
  }
}
