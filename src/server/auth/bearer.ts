import { Problem } from '../problem.ts';

/** What stands after "Authorization: Bearer"; undefined without the header. @throws Problem `unauthenticated` for another kind. */
export function bearerOf(request: Request): string | undefined {
  const header = request.headers.get('authorization');
  if (header === null) return undefined;
  const token = /^Bearer +([^\s]+)$/i.exec(header)?.[1];
  if (token === undefined) throw unauthenticated('must stand after "Bearer"');
  return token;
}

export function unauthenticated(why: string, options?: ErrorOptions): Problem {
  return new Problem('unauthenticated', `The key or token ${why}`, {
    headers: { 'www-authenticate': 'Bearer realm="durascope", error="invalid_token"' },
    ...options,
  });
}
