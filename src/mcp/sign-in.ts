import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { auth, extractWWWAuthenticateParams } from '@modelcontextprotocol/sdk/client/auth.js';
import { describeError } from '../tools/tool-errors.ts';
import type { Vault } from '../tools/worker-scope.ts';
import { credentialsOf } from './credentials.ts';
import { McpServerError } from './mcp-error.ts';
import { StoredAuthorization } from './oauth.ts';
import { SecretTexts } from './secret-texts.ts';
import type { McpServer } from './server.ts';

export interface SignInOptions {
  server: McpServer;
  owner: string;
  vault: Vault;
  /** Shows a person the address to sign in at. */
  open: (url: URL) => void | Promise<void>;
  /** Where the browser comes back to, on this machine. Default: any free one. */
  port?: number;
  /** Ends the wait. */
  signal: AbortSignal;
}

/**
 * Lets a person sign in at a server's authorization server (authorization code with PKCE), and keeps the tokens for the owner.
 *
 * @throws McpServerError
 */
export async function signIn(options: SignInOptions): Promise<void> {
  const secrets = new SecretTexts();
  try {
    await authorize(options, secrets);
  } catch (error) {
    throw new McpServerError('unauthorized', secrets.scrub(describeError(error)));
  }
}

async function authorize(
  { server, owner, vault, open, port = 0, signal }: SignInOptions,
  secrets: SecretTexts,
): Promise<void> {
  const { transport } = server;
  if (transport.kind === 'stdio')
    throw new McpServerError('refused', `${server.name} is a program: give it its credentials in env`);
  if (transport.oauth?.grant !== 'authorization_code')
    throw new McpServerError(
      'refused',
      `${server.name} is not defined with oauth: { grant: 'authorization_code' } (durascope mcp add … --oauth)`,
    );
  const { clientSecret, headers, secrets: known } = await credentialsOf(server, owner);
  secrets.add(...known);
  const state = randomBytes(16).toString('hex');
  await using callback = await listen(port, state);
  const provider = new StoredAuthorization({
    server: server.name,
    owner,
    oauth: transport.oauth,
    vault,
    onSecret: (text) => secrets.add(text),
    ...(clientSecret === undefined ? {} : { clientSecret }),
    signIn: { redirectUrl: callback.url, state, open },
  });
  const wantedScope = await provider.wantedScope();
  const where = {
    serverUrl: transport.url,
    ...(await challengeOf(transport.url, headers)),
    ...(wantedScope === undefined ? {} : { scope: wantedScope }),
  };
  if ((await auth(provider, where)) === 'AUTHORIZED') return;
  const authorizationCode = await callback.code(signal);
  await auth(provider, { ...where, authorizationCode });
}

/** What the server says to somebody without a token: where its authorization server is described, and which scope it wants. */
async function challengeOf(url: string, headers: Readonly<Record<string, string>>) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'ping' }),
    signal: AbortSignal.timeout(15_000),
  });
  await response.body?.cancel();
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  return {
    ...(resourceMetadataUrl ? { resourceMetadataUrl } : {}),
    ...(scope === undefined ? {} : { scope }),
  };
}

interface Callback extends AsyncDisposable {
  url: string;
  code(signal: AbortSignal): Promise<string>;
}

/** Listens on the loopback for the browser that comes back. */
async function listen(port: number, state: string): Promise<Callback> {
  const arrived = Promise.withResolvers<string>();
  arrived.promise.catch(() => undefined);
  const server = createServer((request, response) => receive(request, response, state, arrived));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    code(signal) {
      signal.addEventListener('abort', () => arrived.reject(signal.reason as Error), { once: true });
      return arrived.promise;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function receive(
  request: IncomingMessage,
  response: ServerResponse,
  state: string,
  arrived: PromiseWithResolvers<string>,
): void {
  const { pathname, searchParams } =
    URL.parse(request.url ?? '/', 'http://127.0.0.1') ?? new URL('http://127.0.0.1/');
  const say = (status: number, text: string) =>
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
  if (pathname !== '/callback') return void say(404, 'Not here.');
  // Somebody else's page may have sent the browser here.
  if (searchParams.get('state') !== state) return void say(400, 'This is not the sign-in that was begun.');
  const error = searchParams.get('error');
  const code = searchParams.get('code');
  if (code === null) {
    say(400, 'The sign-in was refused. You can close this window.');
    const why = searchParams.get('error_description') ?? error ?? 'it came back without a code';
    return arrived.reject(new McpServerError('unauthorized', `the sign-in was refused: ${why}`));
  }
  say(200, 'Signed in. You can close this window.');
  arrived.resolve(code);
}
