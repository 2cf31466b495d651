import { randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';

const maxBodyBytes = 4 * 1024 * 1024;
/** A client that has said nothing for so long has gone. */
const idleMs = 30 * 60_000;
const loopback = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

export interface HttpOptions {
  port: number;
  /** Default: 127.0.0.1. Any other needs a token. */
  host?: string;
  /** Clients send it as `Authorization: Bearer`. */
  token?: string;
}

export interface HttpMcpServer {
  url: string;
  close(): Promise<void>;
}

interface Connected {
  transport: StreamableHTTPServerTransport;
  server: McpServer;
  idle: NodeJS.Timeout;
}

/** Serves MCP over streamable HTTP at `/mcp`, a server for each client. */
export async function serveHttp(create: () => McpServer, options: HttpOptions): Promise<HttpMcpServer> {
  const { port, host = '127.0.0.1', token } = options;
  const clients = new Map<string, Connected>();
  const http = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (!response.headersSent) refuse(response, 500, -32603, String(error));
    });
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const address = URL.parse(request.url ?? '/', 'http://x');
    if (!address) return refuse(response, 400, -32600, 'The address is none: MCP is at /mcp');
    if (address.pathname !== '/mcp') return refuse(response, 404, -32600, 'MCP is at /mcp');
    // A page in a browser of this machine must not reach it under a name of its own.
    if (loopback.has(host) && !isLocal(request))
      return refuse(response, 403, -32600, 'This host or origin is not served');
    if (token !== undefined && !isAuthorized(request, token)) {
      response.setHeader('www-authenticate', 'Bearer');
      return refuse(response, 401, -32600, 'A bearer token is needed');
    }
    const body = request.method === 'POST' ? await readJson(request, response) : undefined;
    if (response.headersSent) return;
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? clients.get(id) : undefined;
    if (known) {
      known.idle.refresh();
      return known.transport.handleRequest(request, response, body);
    }
    if (id !== undefined) return refuse(response, 404, -32001, 'This session is not known: initialize again');
    if (!isInitializeRequest(body)) return refuse(response, 400, -32600, 'The first request is initialize');
    await (await connect()).handleRequest(request, response, body);
  }

  async function connect(): Promise<StreamableHTTPServerTransport> {
    const server = create();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        const idle = setTimeout(() => void transport.close(), idleMs).unref();
        clients.set(id, { transport, server, idle });
      },
    });
    Object.assign(transport, {
      onclose: () => {
        const id = transport.sessionId ?? '';
        clearTimeout(clients.get(id)?.idle);
        clients.delete(id);
      },
    });
    await server.connect(transport);
    return transport;
  }

  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(port, host, resolve);
  });
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${(http.address() as AddressInfo).port}/mcp`,
    async close() {
      await Promise.allSettled([...clients.values()].map(({ server }) => server.close()));
      await closed(http);
    },
  };
}

function isLocal({ headers }: IncomingMessage): boolean {
  const nameOf = (address: string) => URL.parse(address)?.hostname ?? '';
  if (!loopback.has(nameOf(`http://${headers.host ?? ''}`))) return false;
  return headers.origin === undefined || loopback.has(nameOf(headers.origin));
}

function isAuthorized({ headers }: IncomingMessage, token: string): boolean {
  const given = Buffer.from(/^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '');
  const wanted = Buffer.from(token);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

async function readJson(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes)
      return refuse(response, 413, -32600, `A request may have ${maxBodyBytes} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch {
    return refuse(response, 400, -32700, 'The body is no JSON');
  }
}

function refuse(response: ServerResponse, status: number, code: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }));
}

async function closed(http: Server): Promise<void> {
  http.closeAllConnections();
  await new Promise((resolve) => http.close(resolve));
}
