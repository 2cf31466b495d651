import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { SessionRef } from '../contracts/ids.ts';
import type { EventBus, Subscription, Watched } from './event-bus.ts';
import { Subscribers, sessionKey } from './subscribers.ts';

const channel = 'durascope_events';
/** Instead of a session: so many have new events that they are not told apart. */
const everySession = '*';
const maxPending = 10_000;
const maxPauseMs = 5_000;

/**
 * For processes that share one PostgreSQL, by LISTEN and NOTIFY over one connection a process.
 *
 * NOTIFY goes out after the writer's commit, in a statement of its own that carries all sessions which were woken meanwhile. Inside the
 * writer's transaction it would take a lock of the whole server at commit, so that writers of different sessions wait for each other. A
 * process that dies between the two loses a wake; followers look again by themselves (follow.ts).
 */
export class PostgresBus implements EventBus {
  readonly #url: string;
  readonly #subscribers = new Subscribers();
  readonly #pending = new Set<string>();
  readonly #closing = new AbortController();
  #connection: Promise<void> | undefined;
  #client: Client | undefined;
  #hangUp: (() => void) | undefined;
  #connecting: Promise<boolean> | undefined;
  #sending: Promise<void> | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  wake(ref: SessionRef): void {
    if (this.#closing.signal.aborted) return;
    this.#subscribers.wake(ref);
    this.#addPending(sessionKey(ref));
    this.#connection ??= this.#stayConnected();
    this.#send();
  }

  /** Resolves without waiting for the server: whoever subscribed is woken once the connection listens. */
  async subscribe(watched: Watched, onWake: () => void): Promise<Subscription> {
    this.#connection ??= this.#stayConnected();
    return this.#subscribers.add(watched, onWake);
  }

  /** What was woken is told first, if there is a server to tell. */
  async close(): Promise<void> {
    if (this.#pending.size > 0) await this.#connecting;
    while (this.#sending) await this.#sending;
    this.#closing.abort();
    this.#hangUp?.();
    await this.#connection;
  }

  async #stayConnected(): Promise<void> {
    let pauseMs = 50;
    while (!this.#closing.signal.aborted) {
      const client = new Client({
        connectionString: this.#url,
        application_name: 'durascope bus',
        connectionTimeoutMillis: 5_000,
        keepAlive: true,
        keepAliveInitialDelayMillis: 10_000,
        query_timeout: 10_000,
      });
      const isListening = await this.#listen(client);
      if (isListening) pauseMs = 50;
      // Half of it by chance: the processes of a store should not all come back to its server at once.
      await delay(pauseMs * (0.5 + Math.random() / 2), undefined, { signal: this.#closing.signal }).catch(
        () => {},
      );
      pauseMs = Math.min(pauseMs * 2, maxPauseMs);
    }
  }

  /** Listens until the connection breaks or the bus closes; false when it never came up. */
  async #listen(client: Client): Promise<boolean> {
    const ended = new Promise<void>((resolve) => {
      client.once('end', resolve);
      client.on('error', () => resolve());
      this.#hangUp = resolve;
    });
    client.on('notification', ({ payload }) => {
      if (payload === everySession) this.#subscribers.wakeAll();
      else if (payload !== undefined) this.#subscribers.wakeKey(payload);
    });
    const connected = client.connect().then(() => client.query(`listen ${channel}`));
    this.#connecting = Promise.race([
      connected.then(
        () => true,
        () => false,
      ),
      ended.then(() => false),
    ]);
    const isListening = await this.#connecting;
    if (isListening) {
      this.#client = client;
      // What others told while nobody listened is lost, and must not stay unread.
      this.#subscribers.wakeAll();
      this.#send();
      await ended;
      this.#client = undefined;
    }
    // Not waited for: a server that vanished never says goodbye.
    client.end().catch(() => {});
    return isListening;
  }

  #addPending(session: string): void {
    if (this.#pending.has(everySession)) return;
    if (this.#pending.size >= maxPending) {
      this.#pending.clear();
      this.#pending.add(everySession);
    } else this.#pending.add(session);
  }

  #send(): void {
    if (this.#sending || !this.#client || this.#pending.size === 0) return;
    this.#sending = this.#sendPending(this.#client).finally(() => {
      this.#sending = undefined;
      this.#send();
    });
  }

  async #sendPending(client: Client): Promise<void> {
    const sessions = [...this.#pending];
    this.#pending.clear();
    try {
      await client.query('select pg_notify($1, session) from unnest($2::text[]) as session', [
        channel,
        sessions,
      ]);
    } catch {
      // The connection broke: sent again once it is back.
      for (const session of sessions) this.#addPending(session);
      if (this.#client !== client) return;
      this.#client = undefined;
      this.#hangUp?.();
    }
  }
}
