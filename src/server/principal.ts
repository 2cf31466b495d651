import { Problem } from './problem.ts';

/**
 * What a key may do. `run`: begin sessions, submit, steer, interrupt, erase, and send results of external tools. `approve`: answer gates,
 * reconcile, change a session's permissions. `read`: all that only reads. `impersonate`: say on whose behalf it asks or answers. `admin`:
 * all of these, and metrics.
 */
export const scopes = ['run', 'approve', 'read', 'impersonate', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** Who makes a request. */
export interface Principal {
  /** Whose sessions it works on. */
  owner: string;
  /** Its name in the audit, and to approval policies. */
  id: string;
  roles: readonly string[];
  scopes: readonly Scope[];
}

/**
 * Finds out who makes a request.
 *
 * **Contract:** undefined when it carries no credentials; throws a Problem `unauthenticated` when those it carries are no good, without
 * saying which part of them.
 */
export type Authenticator = (request: Request) => Promise<Principal | undefined>;

/** Decides whether somebody may work on an owner's sessions at all. What it refuses is answered as if it were not there. */
export interface AccessPolicy {
  mayActFor(principal: Principal, owner: string, scope: Scope): boolean | Promise<boolean>;
}

export const ownOnly: AccessPolicy = { mayActFor: (principal, owner) => principal.owner === owner };

export function hasScope(principal: Principal, scope: Scope): boolean {
  return principal.scopes.includes(scope) || principal.scopes.includes('admin');
}

export function requireScope(principal: Principal, scope: Scope): void {
  if (hasScope(principal, scope)) return;
  throw new Problem(
    'missing_scope',
    `This needs the scope ${scope}, and the key has ${principal.scopes.join(', ') || 'none'}`,
  );
}

const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/**
 * Everybody may do everything on sessions of one owner. For a server that only this machine can reach: it takes no request that names
 * another host, which a page of a rebound domain name would, and none of a page of another origin.
 *
 * @param origins of pages that may call it besides its own.
 */
export function openAccess(owner: string, origins: readonly string[] = []): Authenticator {
  const principal: Principal = { owner, id: owner, roles: [], scopes: [...scopes] };
  return async (request) => {
    const host = request.headers.get('host') ?? new URL(request.url).host;
    const origin = request.headers.get('origin');
    if (!loopbackHost.test(host)) throw foreign(host);
    if (origin !== null && !origins.includes(origin) && !isOwnOrigin(origin, host)) throw foreign(origin);
    return principal;
  };
}

function isOwnOrigin(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}

function foreign(name: string): Problem {
  return new Problem(
    'foreign_host',
    `Without API keys this server answers only localhost and its own page, not ${JSON.stringify(name)}: make a key with "durascope keys create"`,
  );
}
