import type { z } from 'zod';
import { DurascopeError } from '../client/durascope-error.ts';
import type { ProblemView } from '../schema/api-answers.ts';
import { InvalidPageError, StoreUnavailableError } from '../store/store-errors.ts';

/** Every kind of problem that the API answers with: its status, and what it is called. docs/guides/http-api.md says what to do about each. */
export const problems = {
  invalid_input: [400, 'The request is not valid'],
  malformed_json: [400, 'The body is not JSON'],
  invalid_page: [400, 'The cursor or limit is none that this list takes'],
  unauthenticated: [401, 'No valid credentials'],
  missing_scope: [403, 'The key may not do this'],
  forbidden: [403, 'The approval policy wants other people to answer'],
  foreign_host: [403, 'The request came by a name or page that is not trusted'],
  not_found: [404, 'There is no such thing'],
  no_route: [404, 'There is no such address'],
  method_not_allowed: [405, 'The address takes other methods'],
  conflict: [409, 'The state does not allow this'],
  busy: [409, 'Another turn runs'],
  waiting: [409, 'The session waits for an answer'],
  unfit_answer: [422, 'The answer does not fit its call'],
  too_large: [413, 'The body is too large'],
  not_json: [415, 'The body must be application/json'],
  too_many_requests: [429, 'Too many requests'],
  too_many_turns: [429, 'Too many turns at once'],
  budget_exhausted: [429, "The day's budget is used up"],
  internal: [500, 'Something went wrong in the server'],
  limited: [429, 'A limit of the server behind this one'],
  server_unavailable: [503, 'The server behind this one does not answer'],
  no_worker: [503, 'No worker answers'],
  temporal_unavailable: [503, 'Temporal does not answer'],
  store_unavailable: [503, 'The store does not answer'],
  identity_unavailable: [503, 'The identity provider does not answer'],
  draining: [503, 'The server is going away'],
} as const satisfies Record<string, readonly [number, string]>;

export type ProblemCode = keyof typeof problems;
export type ProblemBody = z.infer<typeof ProblemView>;

interface ProblemOptions extends ErrorOptions {
  errors?: { path: string; message: string }[];
  headers?: Record<string, string>;
}

/** An answer that is a refusal. `message` becomes its `detail`: it must hold nothing secret. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly errors: ProblemOptions['errors'];
  readonly headers: Record<string, string>;

  constructor(code: ProblemCode, message: string, { errors, headers = {}, ...options }: ProblemOptions = {}) {
    super(message, options);
    this.name = 'Problem';
    this.code = code;
    this.errors = errors;
    this.headers = headers;
  }

  get status(): number {
    return problems[this.code][0];
  }
}

/** What a failure is to the caller. One that nobody foresaw tells them nothing of its own. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof DurascopeError) return new Problem(error.code, error.message, { cause: error });
  if (error instanceof InvalidPageError) return new Problem('invalid_page', error.message, { cause: error });
  if (error instanceof StoreUnavailableError)
    return new Problem('store_unavailable', 'The store does not answer: try again in a moment', {
      cause: error,
      headers: { 'retry-after': '1' },
    });
  return new Problem('internal', 'The request failed: the log of the server has more under its request id', {
    cause: error,
  });
}

export function problemBody(problem: Problem, requestId: string): ProblemBody {
  const { code, status, message, errors } = problem;
  return {
    type: `urn:durascope:problem:${code}`,
    title: problems[code][1],
    status,
    detail: message,
    code,
    requestId,
    ...(errors ? { errors } : {}),
  };
}

export function problemResponse(problem: Problem, requestId: string): Response {
  return new Response(JSON.stringify(problemBody(problem, requestId)), {
    status: problem.status,
    headers: { 'content-type': 'application/problem+json', ...problem.headers },
  });
}
