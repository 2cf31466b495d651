import type { JwtConfig } from '../schema/api-config.ts';
import {
  firstOf,
  jwtOf,
  listedKeys,
  openAccess,
  parseListedKeys,
  storedKeys,
  type Authenticator,
} from '../server/index.ts';
import type { ApiKeyStore } from '../store/store.ts';
import { CommandError } from './command-error.ts';

export interface ApiAccess {
  authenticate: Authenticator;
  /** Nobody needs a key: the server must be out of reach for others. */
  isOpen: boolean;
}

export interface AccessOptions {
  keys: ApiKeyStore;
  /** `DURASCOPE_API_KEYS`. */
  listed: string | undefined;
  jwt: JwtConfig | undefined;
  /** Whose sessions everybody works on while there is no key. */
  owner: string;
  corsOrigins: readonly string[];
}

/** Keys of the store, listed keys and tokens, as far as there are any. @throws CommandError `keys_invalid` */
export async function apiAccess({
  keys,
  listed,
  jwt,
  owner,
  corsOrigins,
}: AccessOptions): Promise<ApiAccess> {
  const authenticate = firstOf(
    storedKeys(keys),
    ...(jwt ? [jwtOf(jwt)] : []),
    ...(listed === undefined ? [] : [listedKeys(parseKeys(listed))]),
  );
  if (jwt || listed !== undefined || (await keys.hasAny())) return { authenticate, isOpen: false };

  const open = openAccess(owner, corsOrigins);
  let hasKeys = false;
  return {
    isOpen: true,
    // A key that is made while the server runs closes it.
    authenticate: async (request) => {
      hasKeys ||= await keys.hasAny();
      return hasKeys ? authenticate(request) : open(request);
    },
  };
}

function parseKeys(listed: string) {
  try {
    return parseListedKeys(listed);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new CommandError('keys_invalid', cause.message, { cause });
  }
}
