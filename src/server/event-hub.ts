import type { Durascope } from '../client/client.ts';
import { EventFeed, type Frame } from './event-feed.ts';

interface Shared {
  feed: Promise<EventFeed>;
  subscribers: number;
}

/** The feeds of this process: one for each session that somebody follows. */
export class EventHub {
  readonly #client: Durascope;
  readonly #feeds = new Map<string, Shared>();

  constructor(client: Durascope) {
    this.#client = client;
  }

  /** Events of a session that is there, after the cursor, until `signal` aborts. */
  async *follow(
    { owner, sessionId }: { owner: string; sessionId: string },
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<Frame, void, void> {
    const key = `${owner}/${sessionId}`;
    const shared = this.#feeds.get(key) ?? { feed: this.#open(owner, sessionId), subscribers: 0 };
    this.#feeds.set(key, shared);
    shared.subscribers += 1;
    try {
      yield* (await shared.feed).after(after, signal);
    } finally {
      shared.subscribers -= 1;
      if (shared.subscribers === 0) {
        this.#feeds.delete(key);
        shared.feed.then((feed) => feed.stop()).catch(() => {});
      }
    }
  }

  async #open(owner: string, sessionId: string): Promise<EventFeed> {
    const session = this.#client.session({ owner, id: sessionId });
    const { lastEventId = 0 } = (await session.get()) ?? {};
    return new EventFeed(session, lastEventId);
  }
}
