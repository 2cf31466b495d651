import {
  ClientCredentialsProvider,
  PrivateKeyJwtProvider,
} from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js';
import type { Vault } from '../tools/worker-scope.ts';
import type { Credentials } from './credentials.ts';
import { McpServerError } from './mcp-error.ts';
import type { AuthorizationCode, McpServer } from './server.ts';

/** What is kept of an owner's authorization at one server. */
interface Kept {
  client?: OAuthClientInformationMixed;
  tokens?: OAuthTokens;
  /** What the server asked for beyond what the tokens allow: to be asked for at the next sign-in. */
  wantedScope?: string;
}

type OnSecret = (text: string) => void;

/** How a connection gets its tokens; undefined for a server that wants none. */
export function oauthOf(
  server: McpServer,
  { owner, clientSecret }: Credentials,
  vault: Vault,
  onSecret: OnSecret,
): OAuthClientProvider | undefined {
  const oauth = server.transport.kind === 'stdio' ? undefined : server.transport.oauth;
  if (!oauth) return undefined;
  if (oauth.grant === 'authorization_code')
    return new StoredAuthorization({
      server: server.name,
      owner,
      oauth,
      vault,
      onSecret,
      ...(clientSecret === undefined ? {} : { clientSecret }),
    });
  const { clientId, scope, issuer, algorithm } = oauth;
  const client = {
    clientId,
    clientName: 'Durascope',
    ...(scope === undefined ? {} : { scope }),
    ...(issuer === undefined ? {} : { expectedIssuer: issuer }),
  };
  const provider =
    algorithm === undefined
      ? new ClientCredentialsProvider({ ...client, clientSecret: clientSecret ?? '' })
      : new PrivateKeyJwtProvider({ ...client, privateKey: clientSecret ?? '', algorithm });
  const save = provider.saveTokens.bind(provider);
  provider.saveTokens = (tokens) => {
    secretsOf(tokens).forEach((text) => onSecret(text));
    save(tokens);
  };
  return provider;
}

/** Where in the vault an owner's authorization at a server is kept. */
export function vaultName(server: string): string {
  return `mcp/${server}`;
}

export interface StoredAuthorizationOptions {
  server: string;
  owner: string;
  oauth: AuthorizationCode;
  clientSecret?: string;
  vault: Vault;
  onSecret: OnSecret;
  /** Where a person's browser is sent with the code; only while somebody signs in. */
  signIn?: { redirectUrl: string; state: string; open(url: URL): void | Promise<void> };
}

/** An authorization that a person gave once: its tokens are kept for the owner, and refreshed. */
export class StoredAuthorization implements OAuthClientProvider {
  readonly clientMetadataUrl?: string;
  readonly #options: StoredAuthorizationOptions;
  #verifier = '';
  /** What was presented last: another worker may have refreshed it since. */
  #presented: string | undefined;
  #isRegistered = false;

  constructor(options: StoredAuthorizationOptions) {
    this.#options = options;
    const { clientMetadataUrl } = options.oauth;
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl;
  }

  /** Without anybody to sign in it is never used, and still needed: without it the SDK would ask for tokens as a service. */
  get redirectUrl(): string {
    return this.#options.signIn?.redirectUrl ?? 'http://127.0.0.1/callback';
  }

  /** The scope to sign in with, where the server has asked for more than it was given. */
  async wantedScope(): Promise<string | undefined> {
    return (await this.#kept()).wantedScope;
  }

  get clientMetadata(): OAuthClientMetadata {
    const { oauth, clientSecret } = this.#options;
    return {
      client_name: 'Durascope',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: clientSecret === undefined ? 'none' : 'client_secret_basic',
      ...(oauth.scope === undefined ? {} : { scope: oauth.scope }),
    };
  }

  state(): string {
    return this.#options.signIn?.state ?? '';
  }

  async clientInformation(): Promise<OAuthClientInformationMixed | undefined> {
    const { oauth, clientSecret, signIn } = this.#options;
    if (oauth.clientId !== undefined)
      return {
        client_id: oauth.clientId,
        ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
      };
    // A client is registered for one address: each signing in has its own port.
    if (signIn && !this.#isRegistered) return undefined;
    return (await this.#kept()).client;
  }

  async saveClientInformation(client: OAuthClientInformationMixed): Promise<void> {
    this.#isRegistered = true;
    if (this.#options.oauth.clientId !== undefined) return;
    await this.#keep({ ...(await this.#kept()), client });
  }

  async tokens(): Promise<OAuthTokens | undefined> {
    const { tokens } = await this.#kept();
    this.#presented = tokens?.refresh_token ?? tokens?.access_token;
    if (tokens) secretsOf(tokens).forEach((text) => this.#options.onSecret(text));
    // Whoever signs in anew wants new tokens, whatever is left of the old ones.
    return this.#options.signIn ? undefined : tokens;
  }

  async saveTokens(tokens: OAuthTokens): Promise<void> {
    secretsOf(tokens).forEach((text) => this.#options.onSecret(text));
    const kept = await this.#kept();
    const { refresh_token } = kept.tokens ?? {};
    // A server that answers without a new refresh token means the old one to be used on.
    const merged = refresh_token === undefined ? tokens : { refresh_token, ...tokens };
    const { wantedScope: _, ...rest } = kept;
    await this.#keep({ ...rest, tokens: merged });
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    const { signIn, server, owner } = this.#options;
    const wantedScope = url.searchParams.get('scope');
    if (!signIn && wantedScope) await this.#want(wantedScope);
    if (!signIn)
      throw new McpServerError(
        'unauthorized',
        `owner ${owner} has to sign in at ${server}: run "durascope mcp auth ${server} --owner ${owner}"`,
      );
    await signIn.open(url);
  }

  /** Where it can't be kept, signing in says why. */
  async #want(wantedScope: string): Promise<void> {
    await this.#keep({ ...(await this.#kept()), wantedScope }).catch(() => undefined);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    if (scope === 'verifier' || scope === 'discovery') return;
    const kept = await this.#kept();
    const now = kept.tokens?.refresh_token ?? kept.tokens?.access_token;
    // Another worker has refreshed them meanwhile: those are good.
    if (now !== this.#presented) return;
    const { client } = kept;
    await this.#keep(scope === 'tokens' && client ? { client } : {});
  }

  async #kept(): Promise<Kept> {
    const { vault, owner, server } = this.#options;
    const text = await vault.read(owner, vaultName(server));
    return text === undefined ? {} : (JSON.parse(text) as Kept);
  }

  #keep(kept: Kept): Promise<void> {
    const { vault, owner, server } = this.#options;
    return vault.write(owner, vaultName(server), JSON.stringify(kept));
  }
}

function secretsOf({ access_token, refresh_token, id_token }: OAuthTokens): string[] {
  return [access_token, refresh_token, id_token].filter((text) => text !== undefined);
}
