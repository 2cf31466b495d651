import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { identityOf, readCatalog, type Catalog } from './catalog.ts';
import type { ClientOffers } from './client-offers.ts';
import { Connection } from './connection.ts';
import type { Credentials } from './credentials.ts';
import { McpServerError } from './mcp-error.ts';
import { SecretTexts } from './secret-texts.ts';
import type { McpServer } from './server.ts';

const firstBackoffMs = 500;
const longestBackoffMs = 60_000;

export interface LinkOptions {
  server: McpServer;
  credentials: Credentials;
  offers: ClientOffers;
  oauth?: OAuthClientProvider;
  /** Waits for room for one more connection. @throws McpServerError when there is none. */
  makeRoom(): Promise<void>;
}

/**
 * The way to one server with one owner's credentials: a connection that is made when it is wanted, closed when it rests, and made again
 * with growing pauses where that fails. Its list of tools outlives its connections.
 */
export class Link {
  readonly server: McpServer;
  readonly secrets = new SecretTexts();
  readonly #options: LinkOptions;
  #opening: Promise<Connection> | undefined;
  #connection: Connection | undefined;
  #listing: Promise<Catalog> | undefined;
  #catalog: Catalog | undefined;
  /** The server said that its list changed. */
  #isStale = false;
  #failures = 0;
  #notBefore = 0;
  #lastFailure: McpServerError | undefined;
  #users = 0;
  #idleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** How often a connection was made. */
  opened = 0;
  /** Its last use, by `performance.now()`. */
  usedAt = 0;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.server = options.server;
    this.secrets.add(...options.credentials.secrets);
  }

  get isConnected(): boolean {
    return this.#connection !== undefined || this.#opening !== undefined;
  }

  get isResting(): boolean {
    return this.#connection !== undefined && this.#users === 0 && this.#opening === undefined;
  }

  /** It could not be reached the last time. */
  get isDown(): boolean {
    return this.#lastFailure !== undefined;
  }

  /**
   * What the server offers. It is asked the first time, and after it has said that its list changed; never again otherwise.
   *
   * @throws McpServerError
   */
  catalog(): Promise<Catalog> {
    if (this.#catalog && !this.#isStale) return Promise.resolve(this.#catalog);
    this.#listing ??= this.#list().finally(() => {
      this.#listing = undefined;
    });
    // While it can't be reached, what it offered is what is known.
    const known = this.#catalog;
    return known ? this.#listing.catch(() => known) : this.#listing;
  }

  /** Forgets the list: it has turned out to be wrong. */
  invalidate(): void {
    this.#isStale = true;
  }

  /** Runs `use` with a connection, which rests afterwards. @throws McpServerError */
  async use<T>(use: (connection: Connection) => Promise<T>): Promise<T> {
    clearTimeout(this.#idleTimer);
    this.#users += 1;
    this.usedAt = performance.now();
    try {
      return await use(await this.#connected());
    } finally {
      this.#users -= 1;
      this.usedAt = performance.now();
      if (this.#users === 0) this.#rest();
    }
  }

  /** Ends its connection; the next use makes another. */
  async disconnect(): Promise<void> {
    clearTimeout(this.#idleTimer);
    const connection = this.#connection ?? (await this.#opening?.catch(() => undefined));
    this.#connection = undefined;
    await connection?.close();
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.disconnect();
  }

  async #list(): Promise<Catalog> {
    return this.use(async (connection) => {
      if (this.#catalog && !this.#isStale && this.#catalog.identity === identityOf(connection))
        return this.#catalog;
      // What changes while it is read has to be read again.
      this.#isStale = false;
      try {
        const catalog = await readCatalog(connection);
        this.#catalog = { ...catalog, faults: catalog.faults.map((fault) => this.secrets.scrub(fault)) };
        return this.#catalog;
      } catch (error) {
        this.#isStale = true;
        throw error;
      }
    });
  }

  #connected(): Promise<Connection> {
    if (this.#connection) return Promise.resolve(this.#connection);
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #open(): Promise<Connection> {
    const { server, credentials, oauth, offers } = this.#options;
    if (this.#isClosed) throw new McpServerError('unavailable', 'the worker is ending');
    if (this.#lastFailure && performance.now() < this.#notBefore) throw this.#lastFailure;
    try {
      await this.#options.makeRoom();
      const connection = await Connection.open({
        server,
        credentials,
        offers,
        secrets: this.secrets,
        ...(oauth ? { oauth } : {}),
        onListChanged: () => this.#relist(),
        onClose: () => {
          this.#connection = undefined;
        },
      });
      this.#failures = 0;
      this.#lastFailure = undefined;
      this.opened += 1;
      if (this.#catalog && this.#catalog.identity !== identityOf(connection)) this.#isStale = true;
      this.#connection = connection;
      if (this.#isClosed) await this.disconnect();
      return connection;
    } catch (error) {
      this.#lastFailure =
        error instanceof McpServerError
          ? error
          : new McpServerError('unavailable', this.secrets.scrub(String(error)));
      this.#notBefore = performance.now() + Math.min(longestBackoffMs, firstBackoffMs * 2 ** this.#failures);
      this.#failures += 1;
      throw this.#lastFailure;
    }
  }

  /** In the background: the next step finds the new list. */
  #relist(): void {
    this.#isStale = true;
    this.catalog().catch(() => undefined);
  }

  #rest(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => void this.disconnect(), this.server.idleTimeoutMs).unref();
  }
}
