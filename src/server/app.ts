import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { cors } from 'hono/cors';
import { secureHeaders } from 'hono/secure-headers';
import { handleCall, type Handling } from './handle-call.ts';
import { openApiDocument } from './open-api.ts';
import { Problem, problemResponse, toProblem } from './problem.ts';
import type { Route } from './route.ts';

const trustedRequestId = /^[\w.:-]{1,100}$/;

export interface AppOptions extends Handling {
  /** Of pages that may call it from a browser; none by default. */
  corsOrigins: readonly string[];
}

type Env = { Variables: { requestId: string; about?: Record<string, unknown> } };

/** The API as one `fetch`. */
export function createApp(routes: readonly Route[], options: AppOptions): Hono<Env> {
  const app = new Hono<Env>();
  const document = openApiDocument(routes);

  app.use(async (context, next) => {
    const given = context.req.header('x-request-id');
    const requestId = given !== undefined && trustedRequestId.test(given) ? given : randomUUID();
    context.set('requestId', requestId);
    await next();
    context.res.headers.set('x-request-id', requestId);
  });
  app.use(
    secureHeaders({
      contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      referrerPolicy: 'no-referrer',
      xFrameOptions: 'DENY',
    }),
  );
  if (options.corsOrigins.length > 0)
    app.use(
      cors({
        origin: [...options.corsOrigins],
        allowHeaders: [
          'authorization',
          'content-type',
          'idempotency-key',
          'last-event-id',
          'durascope-owner',
        ],
        exposeHeaders: ['x-request-id', 'retry-after'],
        maxAge: 600,
      }),
    );
  for (const route of routes)
    app.on(route.method.toUpperCase(), honoPath(route), async (context) => {
      context.header('cache-control', 'no-store');
      const begin = performance.now();
      let status = 500;
      let problem: Problem | undefined;
      try {
        const response = await handleCall(route, context, options);
        status = response.status;
        return response;
      } catch (error) {
        problem = toProblem(error);
        status = problem.status;
        throw problem;
      } finally {
        const ms = performance.now() - begin;
        noteCall(options, route, { status, ms, problem });
        options.log.info(
          {
            requestId: context.get('requestId'),
            operation: route.name,
            status,
            ms: Math.round(ms),
            ...context.get('about'),
            ...idsOf(context.req.param() as Record<string, string>),
            ...(problem ? { code: problem.code } : {}),
          },
          'request',
        );
      }
    });
  app.get('/openapi.json', (context) => context.json(document));

  app.notFound((context) => {
    const methods = methodsAt(routes, context.req.path);
    const problem =
      methods.length === 0
        ? new Problem('no_route', `There is no ${context.req.path}: /openapi.json lists what there is`)
        : new Problem('method_not_allowed', `${context.req.path} takes ${methods.join(', ')}`, {
            headers: { allow: methods.join(', ') },
          });
    return problemResponse(problem, context.get('requestId'));
  });
  app.onError((error, context) => {
    const problem = toProblem(error);
    const requestId = context.get('requestId');
    if (problem.status >= 500)
      options.log.error({ requestId, code: problem.code, err: problem.cause ?? problem }, 'request failed');
    return problemResponse(problem, requestId);
  });
  return app;
}

function noteCall(
  { meters }: AppOptions,
  { name: operation }: Route,
  { status, ms, problem }: { status: number; ms: number; problem: Problem | undefined },
): void {
  meters.requests.record(ms / 1_000, { operation, status });
  if (problem) meters.problems.add(1, { operation, code: problem.code });
}

/** What a path names. It is the caller's text: no more of it is logged than an id has. */
function idsOf(params: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, value.slice(0, 400)]));
}

/** A turn's id holds slashes, which may come as they are. */
function honoPath({ path }: Route): string {
  return path.replace('{turnId}', ':turnId{turn/[^/]+/[^/]+/[^/]+|[^/]+}').replace(/\/\{(\w+)\}/g, '/:$1');
}

function methodsAt(routes: readonly Route[], path: string): string[] {
  if (path === '/openapi.json') return ['GET'];
  return routes
    .filter((route) => new RegExp(`^${route.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path))
    .map(({ method }) => method.toUpperCase());
}
