import { ApiError } from './api-error.ts';
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
import { addEvents, changesSession, emptyLog, type SessionLog } from './session-log.ts';

/** What is known of a session now. Replaced with each change, never mutated. */
export interface SessionSnapshot extends Pick<SessionLog, 'messages' | 'facts'> {
  /** `absent`: there is no such session (yet): the first input begins it. */
  status: 'loading' | 'absent' | 'ready' | 'refused';
  /** `lost`: the server is away, and tried again. */
  connection: 'connecting' | 'live' | 'lost';
  session: SessionView | undefined;
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
  messages: [],
  facts: [],
  pending: [],
  error: undefined,
};
const retryMs = 1_000;

/**
 * One session, followed: a store for React's `useSyncExternalStore`, and for any other view. It follows while somebody is subscribed, and
 * resumes where it was.
 */
export class SessionFollower {
  readonly #connection: ApiConnection;
  readonly #address: SessionAddress;
  readonly #path: string;
  readonly #listeners = new Set<() => void>();
  #snapshot = loading;
  #log = emptyLog;
  #lastEventId = 0;
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
        this.#log = addEvents(this.#log, events);
        const { messages, facts } = this.#log;
        this.#set({ messages, facts });
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
        this.#set({ status: 'ready', session, pending: session.pending, error: undefined });
        return;
      } catch (error) {
        if (signal.aborted || !(error instanceof ApiError) || !error.isPassing) throw error;
        this.#set({ connection: 'lost' });
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
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
