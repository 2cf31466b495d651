import type { PermissionBehavior } from '../core/permission.ts';

/** A value, or how it is found for an owner: credentials differ from owner to owner. */
export type PerOwner<T> = T | ((owner: string) => T | Promise<T>);

/** With a secret of its own, and without a person: a service account. */
export interface ClientCredentials {
  grant: 'client_credentials';
  clientId: string;
  /** A secret, or a private key (PKCS#8 in PEM) that signs what is sent in its place. */
  clientSecret?: PerOwner<string>;
  privateKey?: PerOwner<string>;
  /** With a private key: `ES256`, `RS256` … */
  algorithm?: string;
  scope?: string;
  /** The authorization server that the secret is for: it is sent to no other. */
  issuer?: string;
}

/** A person signs in once, with `durascope mcp auth`; tokens are kept in the store, encrypted, for each owner, and refreshed. */
export interface AuthorizationCode {
  grant: 'authorization_code';
  /** Of a client that is registered already; without it one is registered, where the authorization server lets us. */
  clientId?: string;
  clientSecret?: PerOwner<string>;
  /** Where a document says who we are (https): in place of a registration, where the authorization server takes it. */
  clientMetadataUrl?: string;
  scope?: string;
}

export type McpOAuth = ClientCredentials | AuthorizationCode;

/** What a server may ask of a model in the middle of a call. */
export interface SamplingLimits {
  /** Model calls of one tool call. */
  maxCalls: number;
  /** Output tokens of one model call. */
  maxTokens: number;
  /** `ask`: a person allows each tool call's sampling. Default: ask. */
  permission?: 'ask' | 'allow';
}

export interface McpServerOptions {
  /** Part of its tools' names, `mcp__name__tool`: letters, digits, `-` and single `_`, at most 32. */
  name: string;

  /** A program that speaks MCP on its stdin and stdout. */
  command?: string;
  args?: readonly string[];
  /** Added to the few variables that it inherits (HOME, PATH, …). */
  env?: PerOwner<Readonly<Record<string, string>>>;
  /** Default: the worker's working directory. */
  cwd?: string;

  /** The address of a server that speaks MCP over HTTP. */
  url?: string;
  headers?: PerOwner<Readonly<Record<string, string>>>;
  /** `sse` is the legacy one. Default: `sse` where the address ends in `/sse`, else `http`. */
  transport?: 'http' | 'sse';
  oauth?: McpOAuth;

  /** The server's own names of the tools that are taken. Default: all. */
  allow?: readonly string[];
  /** Those that are not. */
  deny?: readonly string[];
  /** What the permission engine is told of its tools. Default: they ask, but those that only read pass where the server is trusted. */
  permission?: PermissionBehavior;
  /**
   * Believes what it says of its tools: that one only reads (it passes, and runs beside others), or may be repeated. Without it such hints
   * count only where they make things stricter.
   */
  trust?: boolean;
  /** It keeps a state between calls, so that each session gets a connection of its own. */
  stateful?: boolean;
  /** Limit of one call, in milliseconds. Default: 5 minutes. */
  timeout?: number;
  /** Limit of starting or reaching it, in milliseconds. Default: 30 seconds. */
  connectTimeout?: number;
  /** It is closed when it was not used for so long, in milliseconds. Default: 5 minutes, 30 when it is stateful. */
  idleTimeout?: number;
  /** Lets it ask a person in the middle of a call, through a gate. `waitMs` is how long a person has; default: 10 minutes. */
  elicitation?: boolean | { waitMs: number };
  /** Lets it ask the agent's model in the middle of a call. Default: off. */
  sampling?: SamplingLimits;
}

/** A definition with all that was left out filled in. Made by `defineMcpServer`, and frozen. */
export interface McpServer {
  readonly name: string;
  readonly transport: StdioAddress | HttpAddress;
  readonly allow?: readonly string[];
  readonly deny: readonly string[];
  readonly permission?: PermissionBehavior;
  readonly isTrusted: boolean;
  readonly isStateful: boolean;
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly idleTimeoutMs: number;
  /** How long a person has to answer it; absent when it may not ask. */
  readonly elicitationMs?: number;
  readonly sampling?: Readonly<Required<SamplingLimits>>;
}

export interface StdioAddress {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: PerOwner<Readonly<Record<string, string>>>;
  readonly cwd?: string;
}

export interface HttpAddress {
  readonly kind: 'http' | 'sse';
  readonly url: string;
  readonly headers: PerOwner<Readonly<Record<string, string>>>;
  readonly oauth?: McpOAuth;
}

export function isToolTaken({ allow, deny }: McpServer, tool: string): boolean {
  return !deny.includes(tool) && (allow === undefined || allow.includes(tool));
}
