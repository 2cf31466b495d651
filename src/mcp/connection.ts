import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ToolListChangedNotificationSchema,
  type ClientRequest,
  type Implementation,
  type ServerCapabilities,
} from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import { maxTimeoutMs } from '../tools/check-tool-options.ts';
import { describeError } from '../tools/tool-errors.ts';
import type { ToolContext } from '../tools/tool.ts';
import { classifyError } from './classify-error.ts';
import { offerToServer, type ClientOffers } from './client-offers.ts';
import type { Credentials } from './credentials.ts';
import { lastWords } from './last-words.ts';
import { McpServerError } from './mcp-error.ts';
import { SecretTexts } from './secret-texts.ts';
import type { McpServer } from './server.ts';
import { StdioTransport } from './stdio-transport.ts';
import { ownVersion } from './version.ts';
import { inFlight, watchedFetch } from './watched-fetch.ts';

const pingMs = 5_000;

export interface ConnectionOptions {
  server: McpServer;
  credentials: Credentials;
  oauth?: OAuthClientProvider;
  offers: ClientOffers;
  secrets: SecretTexts;
  onListChanged(): void;
  onClose(): void;
}

/** One live connection to an MCP server. Once closed it stays closed. */
export class Connection {
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #options: ConnectionOptions;
  #requests = 0;
  #isClosed = false;
  #isTooLarge = false;
  #queue: Promise<unknown> = Promise.resolve();
  /** The call that the server may ask back for. */
  #current: ToolContext | undefined;

  private constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#transport = toTransport(options);
    const { server, offers } = options;
    this.#client = new Client(
      { name: 'durascope', version: ownVersion() },
      { capabilities: offers.capabilities },
    );
    offerToServer(this.#client, server, offers, () => this.#current);
    for (const schema of [
      ToolListChangedNotificationSchema,
      ResourceListChangedNotificationSchema,
      PromptListChangedNotificationSchema,
    ])
      this.#client.setNotificationHandler(schema, () => options.onListChanged());
    Object.assign(this.#client, {
      onclose: () => this.#closed(),
      onerror: (error: Error) => this.#doubt(error),
    });
  }

  /** @throws McpServerError */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const connection = new Connection(options);
    const { server } = options;
    const limit = AbortSignal.timeout(server.connectTimeoutMs);
    try {
      await Promise.race([
        connection.#client.connect(connection.#transport, { timeout: server.connectTimeoutMs }),
        new Promise<never>((_, reject) => {
          limit.addEventListener('abort', () => reject(new Error('timeout')), { once: true });
        }),
      ]);
      return connection;
    } catch (error) {
      const failed = connection.#startFailure(error, limit.aborted);
      await connection.close();
      throw failed;
    }
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get serverInfo(): Implementation {
    return this.#client.getServerVersion() ?? { name: this.#options.server.name, version: '' };
  }

  get capabilities(): ServerCapabilities {
    return this.#client.getServerCapabilities() ?? {};
  }

  get instructions(): string | undefined {
    return this.#client.getInstructions();
  }

  get stderr(): string {
    const text = this.#transport instanceof StdioTransport ? this.#transport.stderr.trim() : '';
    return this.#options.secrets.scrub(text);
  }

  /**
   * Sends a request and waits for its answer, for as long as the signal lets it: the abort is told to the server.
   *
   * @throws McpServerError, or the signal's reason.
   */
  async request<Schema extends z.ZodType>(
    request: ClientRequest,
    schema: Schema,
    options: Pick<RequestOptions, 'signal' | 'onprogress' | 'timeout'> = {},
  ): Promise<z.output<Schema>> {
    if (this.#isClosed) throw new McpServerError('unavailable', 'the connection is closed');
    this.#requests += 1;
    let fail: ((error: McpServerError) => void) | undefined;
    const failed = new Promise<never>((_, reject) => {
      fail = reject;
    });
    failed.catch(() => undefined);
    try {
      const sent = inFlight.run({ fail: (error) => fail?.(error) }, () =>
        this.#client.request(request, schema, { timeout: maxTimeoutMs, ...options }),
      );
      return (await Promise.race([sent, failed])) as z.output<Schema>;
    } catch (error) {
      if (options.signal?.aborted) throw options.signal.reason;
      throw this.#meaningOf(error);
    } finally {
      this.#requests -= 1;
    }
  }

  /** As `request`, for the call of a tool. Calls of a server that may ask back go one at a time: it does not say which call it asks for. */
  async call<Schema extends z.ZodType>(
    context: ToolContext,
    request: ClientRequest,
    schema: Schema,
  ): Promise<z.output<Schema>> {
    const options = { signal: context.signal, onprogress: progressTo(context, this.#options.secrets) };
    if (!this.#options.offers.isAsking) return this.request(request, schema, options);
    const turn = this.#queue.then(async () => {
      context.signal.throwIfAborted();
      this.#current = context;
      try {
        return await this.request(request, schema, options);
      } finally {
        this.#current = undefined;
      }
    });
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  async close(): Promise<void> {
    if (this.#transport instanceof StreamableHTTPClientTransport && !this.#isClosed)
      await within(pingMs, this.#transport.terminateSession()).catch(() => undefined);
    await this.#client.close().catch(() => undefined);
    // A client that never connected has no transport to close.
    await this.#transport.close().catch(() => undefined);
    this.#closed();
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#isTooLarge ||= this.#transport instanceof StdioTransport && this.#transport.isTooLarge;
    this.#options.onClose();
  }

  /** A stream that can't be resumed leaves its requests without an answer: then only a ping tells whether the server is still there. */
  #doubt(error: Error): void {
    if (!/Maximum reconnection attempts|SSE stream disconnected|SSE error/.test(error.message)) return;
    if (this.#isClosed || this.#requests === 0) return;
    this.#client.ping({ timeout: pingMs }).catch(() => this.close());
  }

  #meaningOf(error: unknown): McpServerError {
    if (error instanceof McpServerError) return error;
    if (this.#isTooLarge) return tooLarge();
    const { secrets } = this.#options;
    if (this.#isClosed) {
      const how = this.#transport instanceof StdioTransport ? this.#transport.ending : undefined;
      const said = this.stderr === '' ? '' : `; it said: ${lastWords(this.stderr, 500)}`;
      return new McpServerError(
        'lost',
        how === undefined ? 'the connection was closed' : `its process ended ${how}${said}`,
      );
    }
    const meaning = classifyError(error);
    return new McpServerError(meaning.code, secrets.scrub(meaning.message));
  }

  #startFailure(error: unknown, isLate: boolean): McpServerError {
    const { server, secrets } = this.#options;
    const how = this.#transport instanceof StdioTransport ? this.#transport.ending : undefined;
    const said = this.stderr === '' ? '' : `; it said: ${lastWords(this.stderr, 500)}`;
    if (how !== undefined)
      return new McpServerError('unavailable', `its process ended ${how} before it was ready${said}`);
    if (isLate)
      return new McpServerError(
        'unavailable',
        `it did not answer within ${server.connectTimeoutMs / 1000} s${said}`,
      );
    const meaning = classifyError(error);
    if (meaning.code === 'unauthorized')
      return new McpServerError('unauthorized', secrets.scrub(meaning.message));
    return new McpServerError('unavailable', secrets.scrub(describeError(meaning)) + said);
  }
}

function toTransport({ server, credentials, oauth }: ConnectionOptions): Transport {
  const { transport } = server;
  if (transport.kind === 'stdio') {
    const { command, args, cwd } = transport;
    return new StdioTransport({ command, args, env: credentials.env, ...(cwd === undefined ? {} : { cwd }) });
  }
  const options = {
    requestInit: { headers: { ...credentials.headers } },
    ...(oauth ? { authProvider: oauth } : {}),
  };
  const url = new URL(transport.url);
  return transport.kind === 'sse'
    ? new SSEClientTransport(url, options)
    : new StreamableHTTPClientTransport(url, { ...options, fetch: watchedFetch });
}

function progressTo(context: ToolContext, secrets: SecretTexts): NonNullable<RequestOptions['onprogress']> {
  return ({ progress, total, message }) =>
    context.progress({
      ...(message === undefined ? {} : { message: secrets.scrub(message) }),
      ...(total !== undefined && total > 0 ? { fraction: Math.min(1, Math.max(0, progress / total)) } : {}),
    });
}

function tooLarge(): McpServerError {
  return new McpServerError('too_large', 'its answer is larger than is taken');
}

async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
