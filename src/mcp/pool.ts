import { createHash } from 'node:crypto';
import type { SessionRef } from '../contracts/ids.ts';
import type { Resource, ResourceKey, Vault, WorkerScope } from '../tools/worker-scope.ts';
import { offersFor } from './client-offers.ts';
import { credentialsOf, type Credentials } from './credentials.ts';
import { Link } from './link.ts';
import { McpServerError } from './mcp-error.ts';
import { oauthOf } from './oauth.ts';
import type { McpServer } from './server.ts';

/** Credentials that are looked up are kept for so long. */
const credentialsMs = 60_000;
/** Ways to servers that nobody has used for so long are forgotten. */
const forgottenMs = 6 * 60 * 60_000;

export interface PoolOptions {
  vault: Vault;
  models: WorkerScope['models'];
  /** Servers that agents name instead of defining them. */
  named?: readonly McpServer[];
  /** Connections at once; resting ones are closed for others. Default: 100. */
  maxConnections?: number;
}

export interface LinkRequest {
  ref: SessionRef;
  model: string;
  workingDirectories: readonly string[];
}

/** The worker's pool. */
export const mcpPool: ResourceKey<McpPool> = { name: 'mcp' };

/** A worker's connections to MCP servers: one for each server and credentials, and for each session of a stateful one. */
export class McpPool implements Resource {
  readonly #options: PoolOptions;
  readonly #named: ReadonlyMap<string, McpServer>;
  readonly #links = new Map<string, Link>();
  readonly #credentials = new Map<string, { found: Promise<Credentials>; until: number }>();
  /** Whose a link is, where it is one session's. */
  readonly #sessions = new WeakMap<Link, SessionRef>();
  /** Tells definitions of one name apart. */
  readonly #ids = new WeakMap<McpServer, number>();
  #nextId = 1;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#named = new Map((options.named ?? []).map((server) => [server.name, server]));
  }

  /** @throws McpServerError when nothing of that name was defined. */
  named(name: string): McpServer {
    const server = this.#named.get(name);
    if (server) return server;
    const known = [...this.#named.keys()].join(', ') || 'none';
    throw new McpServerError(
      'unavailable',
      `there is no MCP server "${name}" here (there is: ${known}): add it with "durascope mcp add ${name}", or to \`mcp\` of the config`,
    );
  }

  /** @throws McpServerError when its credentials can't be found, or too many connections are in use. */
  async link(server: McpServer, request: LinkRequest): Promise<Link> {
    const { ref, model, workingDirectories } = request;
    const credentials = await this.#credentialsOf(server, ref.owner);
    const key = keyOf([
      this.#idOf(server),
      credentials.key,
      server.isStateful ? [ref.owner, ref.sessionId] : '',
      server.sampling ? model : '',
      workingDirectories,
    ]);
    const known = this.#links.get(key);
    if (known) return known;
    this.#forget();
    const oauth = oauthOf(server, credentials, this.#options.vault, (text) => link.secrets.add(text));
    const link: Link = new Link({
      server,
      credentials,
      offers: offersFor(server, workingDirectories, () => this.#options.models.resolve(model)),
      ...(oauth ? { oauth } : {}),
      makeRoom: () => this.#makeRoom(link),
    });
    this.#links.set(key, link);
    if (server.isStateful) this.#sessions.set(link, ref);
    return link;
  }

  /** Closes what one session has for itself, to stateful servers. */
  async forget(ref: SessionRef): Promise<void> {
    for (const [key, link] of this.#links) {
      const session = this.#sessions.get(link);
      if (session?.owner !== ref.owner || session.sessionId !== ref.sessionId) continue;
      this.#links.delete(key);
      await link.close();
    }
  }

  /** How many connections are open. */
  get size(): number {
    return [...this.#links.values()].filter(({ isConnected }) => isConnected).length;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#links.values()].map((link) => link.close()));
    this.#links.clear();
  }

  async #makeRoom(wanting: Link): Promise<void> {
    const { maxConnections = 100 } = this.#options;
    const others = [...this.#links.values()].filter((link) => link !== wanting && link.isConnected);
    if (others.length < maxConnections) return;
    const [oldest] = others.filter(({ isResting }) => isResting).toSorted((a, b) => a.usedAt - b.usedAt);
    if (!oldest)
      throw new McpServerError('unavailable', `all ${maxConnections} connections to MCP servers are in use`);
    await oldest.disconnect();
  }

  #forget(): void {
    const now = performance.now();
    for (const [key, link] of this.#links)
      if (!link.isConnected && now - link.usedAt > forgottenMs) this.#links.delete(key);
    for (const [key, { until }] of this.#credentials) if (until < now) this.#credentials.delete(key);
  }

  #credentialsOf(server: McpServer, owner: string): Promise<Credentials> {
    const key = `${this.#idOf(server)} ${owner}`;
    const known = this.#credentials.get(key);
    if (known && performance.now() < known.until) return known.found;
    const found = credentialsOf(server, owner);
    this.#credentials.set(key, { found, until: performance.now() + credentialsMs });
    found.catch(() => this.#credentials.delete(key));
    return found;
  }

  #idOf(server: McpServer): number {
    const id = this.#ids.get(server) ?? this.#nextId++;
    this.#ids.set(server, id);
    return id;
  }
}

function keyOf(parts: unknown): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
