import { createHash } from 'node:crypto';
import { describeError } from '../tools/tool-errors.ts';
import { McpServerError } from './mcp-error.ts';
import { secretsOfUrl } from './secret-texts.ts';
import type { McpServer, PerOwner } from './server.ts';

/** What one owner's connections are made with. */
export interface Credentials {
  owner: string;
  env: Readonly<Record<string, string>>;
  headers: Readonly<Record<string, string>>;
  /** Of an OAuth client: its secret, or its private key. */
  clientSecret?: string;
  /** The texts among them that are secret. */
  secrets: readonly string[];
  /** The same for the same credentials, and telling nothing of them: connections are shared by it. */
  key: string;
}

const secretName = /key|token|secret|passw|pwd|auth|credential|cookie|session|dsn|conn/i;

/** @throws McpServerError `unauthorized` when they can't be found. */
export async function credentialsOf(server: McpServer, owner: string): Promise<Credentials> {
  const { transport } = server;
  try {
    const env = transport.kind === 'stdio' ? await resolve(transport.env, owner) : {};
    const headers = transport.kind === 'stdio' ? {} : await resolve(transport.headers, owner);
    const oauth = transport.kind === 'stdio' ? undefined : transport.oauth;
    const secret =
      oauth?.grant === 'client_credentials' ? (oauth.privateKey ?? oauth.clientSecret) : oauth?.clientSecret;
    const clientSecret = secret === undefined ? undefined : await resolve(secret, owner);
    // Tokens that a person fetched are theirs; all else is shared by whoever has the same.
    const isOwn = oauth?.grant === 'authorization_code';
    const secrets = [
      ...secretValues(env, isPerOwner(transport.kind === 'stdio' ? transport.env : {})),
      ...secretValues(headers, isPerOwner(transport.kind === 'stdio' ? {} : transport.headers)),
      ...(transport.kind === 'stdio' ? [] : secretsOfUrl(transport.url)),
      ...(clientSecret === undefined ? [] : [clientSecret]),
    ];
    const key = createHash('sha256')
      .update(JSON.stringify([env, headers, clientSecret, isOwn ? owner : '']))
      .digest('hex');
    return { owner, env, headers, secrets, key, ...(clientSecret === undefined ? {} : { clientSecret }) };
  } catch (error) {
    throw new McpServerError(
      'unauthorized',
      `the credentials of ${server.name} can't be found: ${describeError(error)}`,
    );
  }
}

async function resolve<T>(value: PerOwner<T>, owner: string): Promise<T> {
  return typeof value === 'function' ? (value as (owner: string) => T | Promise<T>)(owner) : value;
}

function isPerOwner(value: unknown): boolean {
  return typeof value === 'function';
}

/** All that was looked up for an owner, and what is called like a secret. `Bearer x` hides `x` as well, `Basic x` also the password in it. */
function secretValues(values: Readonly<Record<string, string>>, isAll: boolean): string[] {
  return Object.entries(values)
    .filter(([name]) => isAll || secretName.test(name))
    .flatMap(([, value]) => [value, /^\w+ (\S+)$/.exec(value)?.[1] ?? value, ...basicParts(value)]);
}

function basicParts(value: string): string[] {
  const encoded = /^Basic (\S+)$/i.exec(value)?.[1];
  if (encoded === undefined) return [];
  const pair = Buffer.from(encoded, 'base64').toString();
  return [pair, pair.slice(pair.indexOf(':') + 1)];
}
