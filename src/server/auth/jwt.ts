import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { isValidId } from '../../contracts/ids.ts';
import { isActorId } from '../../core/approval.ts';
import type { JwtConfig } from '../../schema/api-config.ts';
import { Problem } from '../problem.ts';
import { scopes, type Authenticator, type Principal, type Scope } from '../principal.ts';
import { bearerOf, unauthenticated } from './bearer.ts';

/** Only what is signed by a private key: with a shared secret, whoever checks could also sign. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const jwksTimeoutMs = 5_000;
const clockToleranceSeconds = 30;
const usualClaims = { owner: 'org', subject: 'sub', scopes: 'scope', roles: 'roles' };

/** Takes JSON Web Tokens of one issuer. @param keys default: those that the issuer publishes, which are fetched when needed and kept. */
export function jwtOf(
  config: JwtConfig,
  keys: JWTVerifyGetKey = createRemoteJWKSet(new URL(config.jwksUrl), { timeoutDuration: jwksTimeoutMs }),
): Authenticator {
  const { issuer, audience } = config;
  return async (request) => {
    const token = bearerOf(request);
    if (token === undefined || token.split('.').length !== 3) return undefined;
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms,
        clockTolerance: clockToleranceSeconds,
        requiredClaims: ['exp'],
      });
      return principalOf(payload, config);
    } catch (error) {
      throw refusal(error);
    }
  };
}

function principalOf(payload: JWTPayload, config: JwtConfig): Principal {
  const { scopePrefix = '' } = config;
  const claims = { ...usualClaims, ...config.claims };
  const owner = payload[claims.owner];
  const id = payload[claims.subject];
  if (typeof owner !== 'string' || !isValidId(owner))
    throw unauthenticated(`has no owner in ${claims.owner}`);
  if (!isActorId(id)) throw unauthenticated(`has no subject in ${claims.subject}`);
  const granted = new Set(listOf(payload[claims.scopes]));
  return {
    owner,
    id,
    roles: listOf(payload[claims.roles]),
    scopes: scopes.filter((scope): scope is Scope => granted.has(`${scopePrefix}${scope}`)),
  };
}

function listOf(claim: unknown): string[] {
  if (typeof claim === 'string') return claim.split(' ').filter((item) => item !== '');
  return Array.isArray(claim) ? claim.filter((item): item is string => typeof item === 'string') : [];
}

/** The token's fault, or that its issuer's keys can't be had. */
function refusal(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof errors.JWTExpired) return unauthenticated('has expired', { cause: error });
  const isTokens = error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout);
  if (isTokens && error.code !== 'ERR_JOSE_GENERIC') return unauthenticated('is not valid', { cause: error });
  return new Problem(
    'identity_unavailable',
    'The keys of the token’s issuer can’t be had: try again in a moment',
    {
      cause: error,
      headers: { 'retry-after': '5' },
    },
  );
}
