import { setTimeout as delay } from 'node:timers/promises';
import { DurascopeError, type DurascopeErrorCode } from './durascope-error.ts';

export interface HttpContext {
  /** Without a slash at its end. */
  baseUrl: string;
  apiKey: string | undefined;
  fetch: typeof fetch;
}

export interface HttpCall {
  method?: 'GET' | 'POST' | 'DELETE';
  /** Begins with a slash. */
  path: string;
  owner?: string;
  query?: Readonly<Record<string, string | number | undefined>>;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
}

/** Tries of one that does no harm when it comes twice. */
const attempts = 4;
const firstPauseMs = 100;

/**
 * Asks the API, and parses its answer; undefined for one without a body. A request that can be repeated without harm (a GET, or one with an
 * idempotency key) is, while the server can't be reached or says that something is away.
 *
 * @throws DurascopeError of the problem's code; `server_unavailable`.
 */
export async function ask<T>(context: HttpContext, call: HttpCall): Promise<T> {
  const response = await send(context, call);
  if (response.status === 204) return undefined as T;
  return (await response.json()) as T;
}

/** As `ask`, with undefined where there is no such thing. */
export async function find<T>(context: HttpContext, call: HttpCall): Promise<T | undefined> {
  try {
    return await ask<T>(context, call);
  } catch (error) {
    if (error instanceof DurascopeError && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** The response, when it is one of success. */
export async function send(context: HttpContext, call: HttpCall): Promise<Response> {
  const isRepeatable = (call.method ?? 'GET') === 'GET' || call.headers?.['idempotency-key'] !== undefined;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await sendOnce(context, call);
    } catch (error) {
      const isLast = !isRepeatable || attempt >= attempts || call.signal?.aborted === true;
      if (isLast || !isPassing(error)) throw error;
    }
    await delay(firstPauseMs * 2 ** attempt * (0.5 + Math.random() / 2));
  }
}

function isPassing(error: unknown): boolean {
  return (
    error instanceof DurascopeError && ['server_unavailable', 'temporal_unavailable'].includes(error.code)
  );
}

async function sendOnce(context: HttpContext, call: HttpCall): Promise<Response> {
  const { baseUrl, apiKey } = context;
  const { method = 'GET', path, owner, query = {}, body, headers = {}, signal } = call;
  const url = new URL(`${baseUrl}${path}`);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, String(value));
  const response = await context
    .fetch(url, {
      method,
      headers: {
        accept: 'application/json',
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        ...(owner === undefined ? {} : { 'durascope-owner': owner }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    })
    .catch((cause: unknown) => {
      if (signal?.aborted) throw signal.reason;
      throw new DurascopeError(
        'server_unavailable',
        `No Durascope server answers at ${baseUrl}: start it, or correct baseUrl`,
        {
          cause,
        },
      );
    });
  if (response.ok) return response;
  throw await toError(response);
}

const codes: Partial<Record<string, DurascopeErrorCode>> = {
  invalid_input: 'invalid_input',
  invalid_page: 'invalid_input',
  malformed_json: 'invalid_input',
  too_large: 'invalid_input',
  unauthenticated: 'unauthenticated',
  missing_scope: 'forbidden',
  forbidden: 'forbidden',
  foreign_host: 'forbidden',
  not_found: 'not_found',
  conflict: 'conflict',
  unfit_answer: 'unfit_answer',
  busy: 'busy',
  waiting: 'waiting',
  too_many_requests: 'limited',
  too_many_turns: 'limited',
  budget_exhausted: 'limited',
  no_worker: 'no_worker',
  temporal_unavailable: 'temporal_unavailable',
};

async function toError(response: Response): Promise<Error> {
  const { code, detail } = await problemOf(response);
  const known = codes[code ?? ''] ?? (response.status >= 500 ? 'server_unavailable' : undefined);
  const message = detail ?? `The server answered ${response.status} to ${new URL(response.url).pathname}`;
  return known ? new DurascopeError(known, message) : new Error(message);
}

/** What stands in front of the server may answer in its place, and in its own words. */
async function problemOf(response: Response): Promise<{ code?: string; detail?: string }> {
  try {
    const body: unknown = await response.json();
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}
