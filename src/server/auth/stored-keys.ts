import type { ApiKeyStore } from '../../store/store.ts';
import { scopes, type Authenticator, type Scope } from '../principal.ts';
import { bearerOf, unauthenticated } from './bearer.ts';
import { hashOf, isSameHash, keyIdOf } from './api-key.ts';

/** How exact `lastUsedAt` is: a write for each request would be too much. */
const touchMs = 60_000;

/** Takes keys of the store, as `durascope keys create` makes them. */
export function storedKeys(keys: Pick<ApiKeyStore, 'get' | 'touch'>): Authenticator {
  const touched = new Map<string, number>();
  return async (request) => {
    const key = bearerOf(request);
    const id = key === undefined ? undefined : keyIdOf(key);
    if (key === undefined || id === undefined) return undefined;
    const record = await keys.get(id);
    if (!record || !isSameHash(record.hash, hashOf(key))) throw unauthenticated('is not valid');
    const now = Date.now();
    if (record.revokedAt !== undefined) throw unauthenticated('was revoked');
    if (record.expiresAt !== undefined && Date.parse(record.expiresAt) <= now)
      throw unauthenticated('has expired');
    if (now - (touched.get(id) ?? 0) >= touchMs) {
      touched.set(id, now);
      await keys.touch(id, new Date(now).toISOString());
    }
    return {
      owner: record.owner,
      id: record.name,
      roles: record.roles,
      scopes: record.scopes.filter((scope): scope is Scope => scopes.some((known) => known === scope)),
    };
  };
}
