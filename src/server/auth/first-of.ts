import type { Authenticator } from '../principal.ts';
import { bearerOf, unauthenticated } from './bearer.ts';

/** Asks one after the other until one knows the caller. Credentials that none of them knows are refused. */
export function firstOf(...authenticators: readonly Authenticator[]): Authenticator {
  return async (request) => {
    for (const authenticate of authenticators) {
      const principal = await authenticate(request);
      if (principal) return principal;
    }
    if (bearerOf(request) === undefined) return undefined;
    throw unauthenticated('is not valid');
  };
}
