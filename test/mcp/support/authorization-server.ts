import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A small authorization server with a protected MCP server beside it, both over real HTTP. */
export interface Protected {
  /** Of the MCP server. */
  url: string;
  /** What was asked of the token endpoint: the grant types, in order. */
  grants: string[];
  /** Tokens that were given out. */
  tokens: string[];
  /** Makes all access tokens invalid; refresh tokens stay. */
  expire(): void;
  /** Makes everything invalid. */
  revoke(): void;
  close(): Promise<void>;
}

export const service = { clientId: 'service', clientSecret: 'service-s3cret-0001' };

export async function startProtected(): Promise<Protected> {
  const access = new Set<string>();
  const refresh = new Map<string, string>();
  const codes = new Map<string, { challenge: string; redirect: string; client: string }>();
  const clients = new Map<string, string[]>();
  const grants: string[] = [];
  const tokens: string[] = [];
  const fresh = (kind: string) => {
    const token = `${kind}-${randomBytes(12).toString('hex')}`;
    tokens.push(token);
    return token;
  };

  const give = (response: ServerResponse, withRefresh: boolean) => {
    const token = fresh('access');
    access.add(token);
    const again = withRefresh ? fresh('refresh') : undefined;
    if (again) refresh.set(again, token);
    json(response, 200, {
      access_token: token,
      token_type: 'Bearer',
      expires_in: 3600,
      ...(again ? { refresh_token: again } : {}),
    });
  };

  const tokenEndpoint = (request: IncomingMessage, response: ServerResponse, body: string) => {
    const form = new URLSearchParams(body);
    const grant = form.get('grant_type') ?? '';
    grants.push(grant);
    const fail = (error: string) => json(response, 400, { error });
    if (grant === 'client_credentials') {
      const basic = Buffer.from(request.headers.authorization?.split(' ')[1] ?? '', 'base64').toString();
      return basic === `${service.clientId}:${service.clientSecret}`
        ? give(response, false)
        : fail('invalid_client');
    }
    if (grant === 'refresh_token') {
      const old = form.get('refresh_token') ?? '';
      if (!refresh.delete(old)) return fail('invalid_grant');
      return give(response, true);
    }
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!code || code.challenge !== verifier || code.redirect !== form.get('redirect_uri'))
      return fail('invalid_grant');
    give(response, true);
  };

  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const { pathname, searchParams } = new URL(request.url ?? '/', base);
      if (pathname.startsWith('/.well-known/oauth-protected-resource'))
        return json(response, 200, { resource: `${base}/mcp`, authorization_servers: [base] });
      if (pathname.startsWith('/.well-known/oauth-authorization-server'))
        return json(response, 200, {
          issuer: base,
          authorization_endpoint: `${base}/authorize`,
          token_endpoint: `${base}/token`,
          registration_endpoint: `${base}/register`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
          token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
        });
      if (pathname === '/register') {
        const asked = JSON.parse(body) as { redirect_uris: string[] };
        const client = `client-${clients.size + 1}`;
        clients.set(client, asked.redirect_uris);
        return json(response, 201, { ...asked, client_id: client });
      }
      if (pathname === '/authorize') {
        const client = searchParams.get('client_id') ?? '';
        const redirect = searchParams.get('redirect_uri') ?? '';
        if (!clients.get(client)?.includes(redirect)) return json(response, 400, { error: 'invalid_client' });
        const code = randomBytes(8).toString('hex');
        codes.set(code, { challenge: searchParams.get('code_challenge') ?? '', redirect, client });
        const back = new URL(redirect);
        back.searchParams.set('code', code);
        back.searchParams.set('state', searchParams.get('state') ?? '');
        return void response.writeHead(302, { location: back.href }).end();
      }
      if (pathname === '/token') return tokenEndpoint(request, response, body);
      if (pathname !== '/mcp') return void response.writeHead(404).end();
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const token = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
      if (!access.has(token)) {
        response.setHeader(
          'www-authenticate',
          `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`,
        );
        return json(response, 401, { error: 'invalid_token' });
      }
      answerMcp(response, JSON.parse(body) as { id?: number; method: string }, token);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    grants,
    tokens,
    expire: () => access.clear(),
    revoke() {
      access.clear();
      refresh.clear();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answerMcp(
  response: ServerResponse,
  { id, method }: { id?: number; method: string },
  token: string,
): void {
  if (id === undefined) return void response.writeHead(202).end();
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'protected', version: '1' },
    },
    'tools/list': { tools: [{ name: 'whoami', inputSchema: { type: 'object' } }] },
    // It betrays the token, as a careless server may.
    'tools/call': { content: [{ type: 'text', text: `you are the bearer of ${token}` }] },
  };
  json(response, 200, { jsonrpc: '2.0', id, result: results[method] ?? {} });
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
