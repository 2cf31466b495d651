import type { Context } from 'hono';
import { z } from 'zod';
import { isValidId } from '../contracts/ids.ts';
import type { Log } from './log.ts';
import { requireScope, type AccessPolicy, type Authenticator, type Principal } from './principal.ts';
import { readJson } from './read-json.ts';
import { Problem } from './problem.ts';
import type { Call, Route, RouteContext } from './route.ts';

/** What stands between a request and its handler. */
export interface Handling extends RouteContext {
  authenticate: Authenticator;
  policy: AccessPolicy;
  log: Log;
  /** Aborts when the server goes away. */
  draining: AbortSignal;
}

/** Names an owner to work for, where the access policy lets a key work for others than its own. */
export const ownerHeader = 'durascope-owner';
const longestKey = 200;

/** Who asks, whether they may, whether what they ask is well formed; and then the handler. */
export async function handleCall(route: Route, context: Context, handling: Handling): Promise<Response> {
  const request = context.req.raw;
  const { principal, owner } = await admit(route, request, handling);
  context.set('about', { owner, actor: principal.id });
  if (route.scope !== 'none') handling.limits.takeRequest(owner);
  const idempotencyKey = route.isIdempotent ? idempotencyKeyOf(request) : undefined;
  const call: Call<unknown, unknown, unknown> = {
    params: check(route.params, context.req.param(), 'path'),
    query: check(route.query, context.req.query(), 'query'),
    body: await bodyOf(route, request),
    principal,
    owner,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...lastEventIdOf(route, request),
    signal: AbortSignal.any([request.signal, handling.draining]),
  };
  const answer = await route.handle(call, handling);
  if (answer instanceof Response) return answer;
  context.set('about', { owner, actor: principal.id, ...idsIn(answer) });
  if (answer === undefined) return new Response(null, { status: route.status });
  return context.json(answer as object, route.statusOf?.(answer) ?? (route.status as 200));
}

/** What an answer names, for the log. */
function idsIn(answer: unknown): Record<string, unknown> {
  const { turnId, accepted } = (answer ?? {}) as Record<string, unknown>;
  return { ...(turnId ? { turnId } : {}), ...(accepted ? { callIds: accepted } : {}) };
}

const nobody: Principal = { owner: '', id: '', roles: [], scopes: [] };

/** @throws Problem `unauthenticated`, `missing_scope`; `not_found` for an owner that is none of theirs. */
async function admit({ scope }: Route, request: Request, { authenticate, policy }: Handling) {
  if (scope === 'none') return { principal: nobody, owner: '' };
  const principal = await authenticate(request);
  if (!principal)
    throw new Problem('unauthenticated', 'Send a key as "Authorization: Bearer …"', {
      headers: { 'www-authenticate': 'Bearer realm="durascope"' },
    });
  requireScope(principal, scope);
  const owner = request.headers.get(ownerHeader) ?? principal.owner;
  if (!isValidId(owner) || !(await policy.mayActFor(principal, owner, scope)))
    throw new Problem('not_found', `There is no owner ${owner}`);
  return { principal, owner };
}

/** An operation without a body takes an empty object as well, which some callers always send. */
async function bodyOf({ body }: Route, request: Request): Promise<unknown> {
  if (body) return check(body, await readJson(request), 'body');
  const { headers } = request;
  const hasBody = headers.has('transfer-encoding') || Number(headers.get('content-length') ?? 0) > 0;
  return hasBody ? void check(z.strictObject({}), await readJson(request), 'body') : undefined;
}

function check(schema: z.ZodType | undefined, value: unknown, where: string): unknown {
  if (!schema) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }) => ({
    path: [where, ...path.map(String)].join('.'),
    message,
  }));
  const [first] = errors;
  throw new Problem('invalid_input', `${first?.path}: ${first?.message}`, { errors });
}

function idempotencyKeyOf(request: Request): string | undefined {
  const key = request.headers.get('idempotency-key');
  if (key === null) return undefined;
  if (key !== '' && key.length <= longestKey) return key;
  throw new Problem('invalid_input', `Idempotency-Key must have 1 to ${longestKey} characters`);
}

function lastEventIdOf({ isStream }: Route, request: Request): { lastEventId?: number } {
  const id = isStream ? request.headers.get('last-event-id') : null;
  if (id === null || id === '') return {};
  if (/^\d{1,9}$/.test(id)) return { lastEventId: Number(id) };
  throw new Problem('invalid_input', 'Last-Event-ID must be the id of an event');
}
