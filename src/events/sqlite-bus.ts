import type { SessionRef } from '../contracts/ids.ts';
import type { DatabaseSync, StatementSync } from '../store/node-sqlite.ts';
import { toStoreFailure } from '../store/store-failure.ts';
import { openSqliteFile } from '../store/sqlite.ts';
import type { EventBus, Subscription, Watched } from './event-bus.ts';
import { Subscribers, sessionKey } from './subscribers.ts';

const pollMs = 20;

/**
 * For processes that share one SQLite file. Writes of this process wake at once. Those of others show in the file's `data_version`, which
 * is looked at only while somebody is subscribed, and costs no read of the disk.
 */
export class SqliteBus implements EventBus {
  readonly #path: string;
  readonly #subscribers = new Subscribers();
  #watch: Watch | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  wake(ref: SessionRef): void {
    this.#subscribers.wake(ref);
  }

  async subscribe(watched: Watched, onWake: () => void): Promise<Subscription> {
    try {
      this.#watch ??= new Watch(this.#path, this.#subscribers);
    } catch (error) {
      throw toStoreFailure(error);
    }
    return this.#subscribers.add(watched, onWake, () => this.#stop());
  }

  async close(): Promise<void> {
    this.#stop();
  }

  #stop(): void {
    this.#watch?.stop();
    this.#watch = undefined;
  }
}

/** Looks for commits of other connections, and wakes those whose session got events. */
class Watch {
  readonly #database: DatabaseSync;
  readonly #version: StatementSync;
  readonly #lastEventId: StatementSync;
  readonly #subscribers: Subscribers;
  readonly #timer: NodeJS.Timeout;
  readonly #seen = new Map<string, unknown>();
  #seenVersion: unknown;

  constructor(path: string, subscribers: Subscribers) {
    this.#database = openSqliteFile(path);
    this.#version = this.#database.prepare('pragma data_version');
    this.#lastEventId = this.#database.prepare(
      'select last_event_id from durascope_sessions where owner = ? and session_id = ?',
    );
    this.#subscribers = subscribers;
    this.#seenVersion = this.#version.get()?.['data_version'];
    this.#timer = setInterval(() => this.#look(), pollMs);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#database.close();
  }

  #look(): void {
    try {
      const version = this.#version.get()?.['data_version'];
      if (version === this.#seenVersion) return;
      for (const watched of this.#subscribers.watched()) this.#compare(watched);
      this.#seenVersion = version;
    } catch {
      // Busy, or a disk that fails for a moment: what was missed shows in the next look.
    }
  }

  /** An owner's sessions are not gone through: any commit may be of one of them. */
  #compare({ owner, sessionId }: Watched): void {
    if (sessionId === undefined) {
      this.#subscribers.wakeOwner(owner);
      return;
    }
    const ref = { owner, sessionId };
    const key = sessionKey(ref);
    const id = this.#lastEventId.get(owner, sessionId)?.['last_event_id'];
    if (this.#seen.get(key) === id) return;
    this.#seen.set(key, id);
    this.#subscribers.wake(ref);
  }
}
