import type { Session } from '../client/client.ts';
import type { AgentEvent, EventKind } from '../schema/event.ts';

const maxKept = 1_000;
const maxKeptBytes = 1024 * 1024;

/** An event as it goes over the wire, written once for all who subscribe. */
export interface Frame {
  id: number;
  kind: EventKind;
  turnId: string;
  /** It happened in a session below. */
  isBelow: boolean;
  text: string;
}

/**
 * One session's events for all of its subscribers in this process: one reader of the store, whose newest events stay in memory. A subscriber
 * holds a cursor and takes what comes after it, at its own pace: who falls behind what is kept reads the store by itself, and holds nobody up.
 */
export class EventFeed {
  readonly #session: Session;
  readonly #stopping = new AbortController();
  /** In order, without a gap: each follows the one before it, and the first follows `#base`. */
  #frames: Frame[] = [];
  #base: number;
  #bytes = 0;
  readonly #waiting = new Set<() => void>();
  /** Why it ended, once it has. */
  #end: { error?: unknown } | undefined;

  /** @param from the id of the session's newest event. */
  constructor(session: Session, from: number) {
    this.#session = session;
    this.#base = from;
    void this.#follow(from);
  }

  /** Events after the cursor, until `signal` aborts or the feed ends. */
  async *after(cursor: number, signal: AbortSignal): AsyncGenerator<Frame, void, void> {
    let last = cursor;
    while (!signal.aborted) {
      const next = this.#indexAfter(last);
      if (next === undefined) {
        for await (const event of this.#session.events({ after: last, signal })) {
          last = event.id;
          yield toFrame(event);
          if (this.#indexAfter(last) !== undefined) break;
        }
        continue;
      }
      const frame = this.#frames[next];
      if (frame) {
        last = frame.id;
        yield frame;
      } else if (this.#end) {
        if (this.#end.error !== undefined) throw this.#end.error;
        return;
      } else await this.#news(signal);
    }
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #follow(from: number): Promise<void> {
    const { signal } = this.#stopping;
    try {
      for await (const event of this.#session.events({ after: from, signal })) this.#keep(toFrame(event));
      this.#end = {};
    } catch (error) {
      this.#end = { error };
    }
    this.#wake();
  }

  #keep(frame: Frame): void {
    this.#frames.push(frame);
    this.#bytes += frame.text.length;
    if (this.#frames.length > maxKept || this.#bytes > maxKeptBytes) this.#forget();
    this.#wake();
  }

  /** The older half, so that it is not done for each event. The newest stays, however large. */
  #forget(): void {
    const gone = this.#frames.splice(0, Math.max(1, this.#frames.length >> 1));
    this.#base = gone.at(-1)?.id ?? this.#base;
    for (const { text } of gone) this.#bytes -= text.length;
  }

  /**
   * Where the events after this one begin; undefined when it is none that this feed has passed on. A cursor between two of them may lie in
   * the middle of a text that was merged meanwhile: only the store knows the rest of it.
   */
  #indexAfter(id: number): number | undefined {
    if (id === this.#base) return 0;
    let low = 0;
    let high = this.#frames.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const at = this.#frames[middle]?.id ?? 0;
      if (at === id) return middle + 1;
      if (at < id) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }

  async #news(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }
}

function toFrame(event: AgentEvent): Frame {
  const { id, kind, turnId, path } = event;
  return {
    id,
    kind,
    turnId,
    isBelow: path !== undefined,
    text: `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(event)}\n\n`,
  };
}
