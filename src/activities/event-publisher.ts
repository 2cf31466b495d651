import type { SessionRef } from '../contracts/ids.ts';
import type { SentEvent } from '../core/compact-events.ts';
import type { EventBody } from '../schema/event.ts';
import type { EventStore } from '../store/store.ts';

/** What comes after a silence is written this soon. A stream that ends within it needs no write of its own: its events go with the commit. */
const promptMs = 5;
/** Writes are at least this far apart, so that deltas of a fast stream go together: a reader can't tell, and the store has less to do. */
const apartMs = 25;

/**
 * Streams the events of one unfinished message to the replay log. A write that fails is tried again with the next one and never fails
 * the stream: what was not written in time goes with the commit.
 */
export class EventPublisher {
  readonly #write: (bodies: EventBody[]) => Promise<{ id: number; at: string }[]>;
  readonly #sent: SentEvent[] = [];
  #unsent: EventBody[] = [];
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;
  #flushedAt = Number.NEGATIVE_INFINITY;

  constructor(events: Pick<EventStore, 'appendEphemeral'>, ref: SessionRef, turn: number, messageId: string) {
    this.#write = (bodies) => events.appendEphemeral(ref, turn, messageId, bodies);
  }

  publish(bodies: readonly EventBody[]): void {
    if (bodies.length === 0) return;
    this.#unsent.push(...bodies);
    this.#schedule();
  }

  /** Stops streaming and hands over all that was published, for the commit. */
  async finish(): Promise<{ sent: SentEvent[]; unsent: EventBody[] }> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#flushing;
    clearTimeout(this.#timer);
    return { sent: this.#sent, unsent: this.#unsent };
  }

  #schedule(): void {
    if (this.#timer || this.#flushing || this.#unsent.length === 0) return;
    const pauseMs = Math.max(promptMs, this.#flushedAt + apartMs - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#flushing = this.#flush().finally(() => {
        this.#flushing = undefined;
        this.#flushedAt = performance.now();
        this.#schedule();
      });
    }, pauseMs);
  }

  async #flush(): Promise<void> {
    const bodies = this.#unsent;
    this.#unsent = [];
    try {
      const stamps = await this.#write(bodies);
      stamps.forEach((stamp, i) => this.#sent.push({ ...stamp, body: bodies[i] as EventBody }));
    } catch {
      this.#unsent = [...this.#toldAgain(), ...bodies, ...this.#unsent];
    }
  }

  /** A write that failed may have been committed all the same: told again from its start, the message supersedes what was told of it. */
  #toldAgain(): EventBody[] {
    if (this.#sent[0]?.body.kind !== 'model_call_start') return [];
    return this.#sent.splice(0).map(({ body }) => body);
  }
}
