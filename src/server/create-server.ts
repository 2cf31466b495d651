import type { Durascope } from '../client/client.ts';
import type { AgentDescription } from '../agents/describe-agent.ts';
import { adminPage } from './admin-page.ts';
import type { OwnerLimits, Price } from '../schema/api-config.ts';
import type { Pipelines } from '../client/pipelines.ts';
import type { Schedules } from '../client/schedules.ts';
import { EventHub } from './event-hub.ts';
import { createApp } from './app.ts';
import { Limits } from './limits.ts';
import { measureLoad } from './measure-load.ts';
import { serverMeters } from '../metrics/meters.ts';
import { silent, type Log } from './log.ts';
import { ownOnly, type AccessPolicy, type Authenticator } from './principal.ts';
import { agUiRoutes } from './routes/ag-ui.ts';
import { scheduleChangeRoutes } from './routes/change-schedules.ts';
import { eventRoutes } from './routes/events.ts';
import { gateRoutes } from './routes/gates.ts';
import { pipelineRoutes } from './routes/pipelines.ts';
import { scheduleRoutes } from './routes/schedules.ts';
import { serviceRoutes } from './routes/service.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { turnRoutes } from './routes/turns.ts';
import { uiChatRoutes } from './routes/ui-chat.ts';
import { usageRoutes } from './routes/usage.ts';

export interface ServerOptions {
  /** What the API speaks for. It stays open. */
  client: Durascope;
  /** Who makes a request: `openAccess` where only this machine can reach the server. */
  authenticate: Authenticator;
  /** Whose sessions somebody may work on. Default: those of their own owner. */
  policy?: AccessPolicy;
  /** The agents that sessions can be begun with, as they are now; absent: any that a worker knows. */
  agents?: () => readonly AgentDescription[];
  /** Origins of pages that may call it from a browser. Default: none. */
  corsOrigins?: readonly string[];
  /** The folder of the admin page, served at `/`: see `builtAdminPage`. Default: no page. */
  adminPage?: string;
  /** Those of the client, to be listed and changed. */
  schedules?: Omit<Schedules, 'create'>;
  /** Those of the client. */
  pipelines?: Pipelines;
  /** Where people look at runs: the admin page links to it. */
  temporalWeb?: { url: string; namespace: string };
  /** What one owner may use. Default: no limits. */
  limitsOf?: (owner: string) => OwnerLimits;
  /** Of a million tokens, by model: for `costPerDay` and the usage list. */
  prices?: Readonly<Record<string, Price>>;
  /** Answers `/metrics`: see `installPrometheus`. Default: what is measured goes to the process's OpenTelemetry provider only. */
  renderMetrics?: () => Promise<string>;
  log?: Log;
}

export interface DurascopeServer {
  /** For any server that speaks the web's Request and Response. */
  fetch(request: Request): Promise<Response>;
  /** Ends streams and waits that are open, so that their callers go elsewhere. */
  drain(): void;
}

/** All operations of the API. */
export const routes = [
  ...sessionRoutes,
  ...turnRoutes,
  ...eventRoutes,
  ...gateRoutes,
  ...uiChatRoutes,
  ...agUiRoutes,
  ...usageRoutes,
  ...scheduleRoutes,
  ...pipelineRoutes,
  ...scheduleChangeRoutes,
  ...serviceRoutes,
];

/**
 * The HTTP API, to be mounted or listened with.
 *
 * @example
 * const server = createServer({ client: await DurascopeClient.connect(), authenticate: openAccess('local') });
 * const response = await server.fetch(new Request('http://localhost/v1/agents'));
 */
export function createServer(options: ServerOptions): DurascopeServer {
  const { client, authenticate, policy = ownOnly, agents, corsOrigins = [], log = silent } = options;
  const page = options.adminPage === undefined ? undefined : adminPage(options.adminPage);
  const { limitsOf = () => ({}), prices = {} } = options;
  const draining = new AbortController();
  const meters = serverMeters();
  measureLoad(client, meters.meter);
  const app = createApp(routes, {
    client,
    events: new EventHub(client),
    limits: new Limits(client, {
      limitsOf,
      prices,
      modelOf: (agent) => agents?.().find(({ name }) => name === agent)?.model,
    }),
    authenticate,
    policy,
    corsOrigins,
    log,
    draining: draining.signal,
    ...(agents ? { agents } : {}),
    ...(options.renderMetrics ? { renderMetrics: options.renderMetrics } : {}),
    meters,
    ...(options.pipelines ? { pipelines: options.pipelines } : {}),
    ...(options.schedules ? { schedules: options.schedules } : {}),
    ...(options.temporalWeb ? { temporalWeb: options.temporalWeb } : {}),
  });
  return {
    fetch: async (request) => page?.(request) ?? app.fetch(request),
    drain: () => draining.abort(),
  };
}
