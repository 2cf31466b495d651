import { isValidId } from '../../contracts/ids.ts';
import { scopes, type Authenticator, type Principal, type Scope } from '../principal.ts';
import { bearerOf } from './bearer.ts';
import { hashOf, isSameHash } from './api-key.ts';

const shortestSecret = 32;
const usual: Scope[] = ['run', 'approve', 'read'];

export interface ListedKey {
  hash: string;
  principal: Principal;
}

/**
 * Keys as `DURASCOPE_API_KEYS` lists them, with spaces between: `OWNER=SECRET`, or `OWNER=SECRET;SCOPE,SCOPE`, or `OWNER=SECRET;SCOPES;NAME`.
 * Without scopes a key may run, approve and read; without a name it is its owner's.
 *
 * @throws RangeError that names the entry by its place and owner, never its secret.
 */
export function parseListedKeys(text: string): ListedKey[] {
  return text
    .split(/\s+/)
    .filter((entry) => entry !== '')
    .map((entry, index) => {
      const at = entry.indexOf('=');
      const owner = entry.slice(0, Math.max(at, 0));
      const [secret = '', list = '', name = owner, ...rest] = entry.slice(at + 1).split(';');
      const fail = (why: string): never => {
        throw new RangeError(
          `Entry ${index + 1} of DURASCOPE_API_KEYS ${why}: write OWNER=SECRET or OWNER=SECRET;SCOPES;NAME`,
        );
      };
      if (at < 0 || !isValidId(owner)) fail('names no owner');
      if (secret.length < shortestSecret)
        fail(`has a secret of less than ${shortestSecret} characters, for owner ${owner}`);
      if (rest.length > 0 || name === '') fail(`has too many parts, for owner ${owner}`);
      const wanted = list === '' ? usual : list.split(',');
      const unknown = wanted.find((scope) => !scopes.some((known) => known === scope));
      if (unknown !== undefined)
        fail(`has an unknown scope for owner ${owner}, not one of ${scopes.join(', ')}`);
      return { hash: hashOf(secret), principal: { owner, id: name, roles: [], scopes: wanted as Scope[] } };
    });
}

/** Takes listed keys. All are compared, so that the time tells nothing about them. */
export function listedKeys(keys: readonly ListedKey[]): Authenticator {
  return async (request) => {
    const key = bearerOf(request);
    if (key === undefined) return undefined;
    const hash = hashOf(key);
    const matching = keys.filter((listed) => isSameHash(listed.hash, hash));
    return matching[0]?.principal;
  };
}
