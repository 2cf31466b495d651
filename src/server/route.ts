import type { z } from 'zod';
import type { Durascope } from '../client/client.ts';
import type { AgentDescription } from '../agents/describe-agent.ts';
import type { Pipelines } from '../client/pipelines.ts';
import type { Schedules } from '../client/schedules.ts';
import type { EventHub } from './event-hub.ts';
import type { Limits } from './limits.ts';
import type { serverMeters } from '../metrics/meters.ts';
import type { Principal, Scope } from './principal.ts';

/** What a handler is given: all of it checked. */
export interface Call<Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
  principal: Principal;
  /** Whose sessions it works on: the principal's own, or those that the access policy lets it work on. */
  owner: string;
  idempotencyKey?: string;
  lastEventId?: number;
  /** Aborts when the caller has gone, or the server drains. */
  signal: AbortSignal;
}

export interface RouteContext {
  client: Durascope;
  events: EventHub;
  /** Absent where the server has none. */
  schedules?: Omit<Schedules, 'create'>;
  /** Absent where the server has none. */
  pipelines?: Pipelines;
  /** Where Temporal Web is, where the server knows it. */
  temporalWeb?: { url: string; namespace: string };
  limits: Limits;
  meters: ReturnType<typeof serverMeters>;
  /** Absent where nothing is kept in this process. */
  renderMetrics?: () => Promise<string>;
  /** Absent where the server does not know them. */
  agents?: () => readonly AgentDescription[];
}

type Shape<T extends z.ZodType | undefined> = T extends z.ZodType ? z.output<T> : undefined;

/**
 * One operation of the API, as data: it is served, described in the OpenAPI document and tested from this. Templates of `path` are those of
 * OpenAPI, each with a property of `params`.
 */
export interface RouteSpec<
  Params extends z.ZodType | undefined,
  Query extends z.ZodType | undefined,
  Body extends z.ZodType | undefined,
  Answer extends z.ZodType | undefined,
> {
  /** Unique: the `operationId`. */
  name: string;
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  path: string;
  summary: string;
  /** `none`: anybody may ask, without a key. */
  scope: Scope | 'none';
  params?: Params;
  query?: Query;
  body?: Body;
  /** Takes an `Idempotency-Key`. */
  isIdempotent?: boolean;
  /** Of success. */
  status: 200 | 201 | 202 | 204;
  /** Of success; absent for one without a body, and for a stream. */
  answer?: Answer;
  /** For an operation whose answer may be a failure as well. */
  statusOf?: (answer: Answer extends z.ZodType ? z.input<Answer> : undefined) => 200 | 503;
  /** Of an answer that is not JSON: the handler makes the response itself. */
  mediaType?: string;
  /** A stream of server-sent events: the handler answers the response itself. */
  isStream?: boolean;
  handle(
    call: Call<Shape<Params>, Shape<Query>, Shape<Body>>,
    context: RouteContext,
  ): Promise<Answer extends z.ZodType ? z.input<Answer> : Response | undefined>;
}

/** A route whose types have done their work. */
export interface Route extends Omit<
  RouteSpec<z.ZodType, z.ZodType, z.ZodType, z.ZodType>,
  'handle' | 'statusOf'
> {
  statusOf?: (answer: unknown) => 200 | 503;
  handle(call: Call<unknown, unknown, unknown>, context: RouteContext): Promise<unknown>;
}

export function defineRoute<
  Params extends z.ZodType | undefined = undefined,
  Query extends z.ZodType | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
  Answer extends z.ZodType | undefined = undefined,
>(spec: RouteSpec<Params, Query, Body, Answer>): Route {
  return spec as unknown as Route;
}
