import { ApiError } from './api-error.ts';
import type { Msg } from '../schema/message.ts';
import type { ApiConnection } from './api-connection.ts';
import type {
  Confirmation,
  ExternalResult,
  Gate,
  Reconciliation,
  SessionInput,
  SessionView,
  Submitted,
} from './api-types.ts';
import { followEvents } from './follow-events.ts';
import { newId } from './new-id.ts';
import {
  addEvents,
  addMessages,
  changesSession,
  emptyLog,
  endsUnknown,
  type SessionLog,
} from './session-log.ts';

/** What is known of a session now. Replaced with each change, never mutated. */
export interface SessionSnapshot extends Pick<SessionLog, 'messages' | 'facts'> {
  /** `absent`: there is no such session (yet): the first input begins it. */
  status: 'loading' | 'absent' | 'ready' | 'refused';
  /** `lost`: the server is away, and tried again. */
  connection: 'connecting' | 'live' | 'lost';
  session: SessionView | undefined;
  /** The transcript begins before `messages`: see `loadEarlier`. */
  hasEarlier: boolean;
  /** Calls that wait at a gate, in the session or below it. */
  pending: readonly Gate[];
  /** Why it can't be read. */
  error: ApiError | undefined;
}

export interface SessionAddress {
  sessionId: string;
  /** Of a session that is not there yet. */
  agent?: string;
}

const loading: SessionSnapshot = {
  status: 'loading',
  connection: 'connecting',
  session: undefined,
  hasEarlier: false,
  messages: [],
  facts: [],
  pending: [],
  error: undefined,
};
const retryMs = 1_000;
/** A session with more events than these opens with the newest page of its messages, and replays these only. */
const replayedEvents = 1_000;
const pageLength = 50;

/**
 * One session, followed: a store for React's `useSyncExternalStore`, and for any other view. It follows while somebody is subscribed, and
 * resumes where it was. A long session opens by pages: its newest messages first.
 */
export class SessionFollower {
  readonly #connection: ApiConnection;
  readonly #address: SessionAddress;
  readonly #path: string;
  readonly #listeners = new Set<() => void>();
  #snapshot = loading;
  #log = emptyLog;
  #lastEventId = 0;
  #earlier: string | undefined;
  #following: AbortController | undefined;
  #refreshing: Promise<void> | undefined;
  #isStale = false;

  constructor(connection: ApiConnection, address: SessionAddress) {
    this.#connection = connection;
    this.#address = address;
    this.#path = `/v1/sessions/${encodeURIComponent(address.sessionId)}`;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (!this.#following) this.#start();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#following?.abort();
      this.#following = undefined;
    };
  };

  readonly snapshot = (): SessionSnapshot => this.#snapshot;

  /** Submits an input: a turn of its own, or, with `ifBusy: 'steer'`, a part of the running one. */
  async send(
    input: SessionInput,
    options: { ifBusy?: 'queue' | 'reject' | 'steer' | 'deny'; idempotencyKey?: string } = {},
  ): Promise<Submitted> {
    const { ifBusy, idempotencyKey = newId() } = options;
    const { agent } = this.#address;
    const body = { input, ...(agent === undefined ? {} : { agent }), ...(ifBusy ? { ifBusy } : {}) };
    const submitted = await this.#post<Submitted>('turns', body, idempotencyKey);
    if (this.#snapshot.status === 'absent' && this.#listeners.size > 0) this.#start();
    return submitted;
  }

  async steer(input: SessionInput): Promise<Submitted> {
    return this.#post<Submitted>('steer', { input }, newId());
  }

  async interrupt(reason?: string): Promise<void> {
    await this.#post('interrupt', reason === undefined ? {} : { reason });
  }

  /** Answers calls that ask. @throws ApiError `conflict` when somebody else was first, `invalid_input` when edited arguments do not fit. */
  async confirm(results: Confirmation[]): Promise<void> {
    await this.#answer('confirmations', results);
  }

  async submitExternalResults(results: ExternalResult[]): Promise<void> {
    await this.#answer('external-results', results);
  }

  async reconcile(results: Reconciliation[]): Promise<void> {
    await this.#answer('reconciliations', results);
  }

  /** Adds the page of messages before the first one, where `hasEarlier`. @throws ApiError */
  async loadEarlier(): Promise<void> {
    if (this.#earlier !== undefined) await this.#readPage(this.#earlier);
  }

  /** Reads state, gates, tasks and team again. */
  async refresh(): Promise<void> {
    this.#isStale = true;
    this.#refreshing ??= this.#refreshUntilFresh().finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  async #answer(kind: string, results: readonly object[]): Promise<void> {
    try {
      await this.#post(kind, { results });
    } finally {
      void this.refresh();
    }
  }

  async #post<T>(operation: string, body: object, idempotencyKey?: string): Promise<T> {
    const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
    return this.#connection.json<T>(`${this.#path}/${operation}`, { method: 'POST', body, headers });
  }

  #start(): void {
    this.#following?.abort();
    const following = new AbortController();
    this.#following = following;
    void this.#follow(following.signal);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    try {
      await this.#load(signal);
      const onConnection = (connection: 'live' | 'lost'): void => {
        if (signal.aborted) return;
        if (connection === 'live' && this.#snapshot.connection === 'lost') void this.refresh();
        this.#set({ connection });
      };
      const options = { after: this.#lastEventId, signal, onConnection };
      for await (const events of followEvents(this.#connection, `${this.#path}/events`, options)) {
        if (signal.aborted) return;
        this.#lastEventId = events.at(-1)?.id ?? this.#lastEventId;
        this.#show(addEvents(this.#log, events));
        // Its beginning was before what is replayed. When it can't be read now, the next load has it.
        if (endsUnknown(this.#log, events)) await this.#readPage().catch(() => undefined);
        if (events.some(changesSession)) void this.refresh();
      }
    } catch (error) {
      if (signal.aborted) return;
      const refusal = error instanceof ApiError ? error : new ApiError(internal, String(error));
      if (refusal.status === 404) this.#set({ status: 'absent' });
      else this.#set({ status: 'refused', error: refusal });
    }
  }

  /** Waits for as long as the server is away. @throws ApiError when it refuses. */
  async #load(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const session = await this.#connection.json<SessionView>(this.#path, { signal });
        if (this.#lastEventId === 0 && session.lastEventId > replayedEvents) {
          await this.#readPage();
          this.#lastEventId = session.lastEventId - replayedEvents;
        }
        this.#set({ status: 'ready', session, pending: session.pending, error: undefined });
        return;
      } catch (error) {
        if (signal.aborted || !(error instanceof ApiError) || !error.isPassing) throw error;
        this.#set({ connection: 'lost' });
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }

  /** The newest messages, or, from a cursor on, those before. */
  async #readPage(cursor?: string): Promise<void> {
    const from = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { items, nextCursor } = await this.#connection.json<{ items: Msg[]; nextCursor?: string }>(
      `${this.#path}/messages?order=newest&limit=${pageLength}${from}`,
    );
    if (cursor === this.#earlier) this.#earlier = nextCursor;
    this.#show(addMessages(this.#log, items));
  }

  #show(log: SessionLog): void {
    this.#log = log;
    const { messages, facts } = log;
    this.#set({ messages, facts, hasEarlier: this.#earlier !== undefined });
  }

  async #refreshUntilFresh(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      try {
        const session = await this.#connection.json<SessionView>(this.#path);
        this.#set({ session, pending: session.pending });
      } catch (error) {
        // What follows events says so when the server is away, and refreshes when it is back.
        if (!(error instanceof ApiError)) throw error;
      }
    }
  }

  #set(change: Partial<SessionSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    for (const listener of this.#listeners) listener();
  }
}

const internal = { code: 'internal', status: 0 };
