import { Problem } from '../problem.ts';
import { AgentList, HealthView, Live, LoadView, ServiceView } from '../../schema/api-answers.ts';
import { defineRoute } from '../route.ts';

const listAgents = defineRoute({
  name: 'listAgents',
  method: 'get',
  path: '/v1/agents',
  summary: 'The agents that sessions can be begun with',
  scope: 'read',
  status: 200,
  answer: AgentList,
  handle: async (_, { agents }) => ({ items: [...(agents?.() ?? [])] }),
});

const describeService = defineRoute({
  name: 'describeService',
  method: 'get',
  path: '/v1/service',
  summary: 'Who the caller is to the server, where Temporal Web is, and what models cost',
  scope: 'read',
  status: 200,
  answer: ServiceView,
  handle: async ({ owner, principal }, { temporalWeb, limits }) => ({
    owner,
    principal: principal.id,
    scopes: [...principal.scopes],
    prices: { ...limits.prices },
    ...(temporalWeb ? { temporalWeb } : {}),
  }),
});

const live = defineRoute({
  name: 'live',
  method: 'get',
  path: '/v1/health/live',
  summary: 'The process answers',
  scope: 'none',
  status: 200,
  answer: Live,
  handle: async () => ({ status: 'ok' as const }),
});

const health = defineRoute({
  name: 'health',
  method: 'get',
  path: '/v1/health',
  summary: 'Whether it can work: 503 names what is missing',
  scope: 'none',
  status: 200,
  answer: HealthView,
  statusOf: ({ status }) => (status === 'ok' ? 200 : 503),
  async handle(_, { client }) {
    const { store, temporal } = await client.health();
    // Anybody may ask: why it is away is for the log.
    const dependencies = { store: stateOf(store), temporal: stateOf(temporal) };
    const isWell = Object.values(dependencies).every((state) => state === 'ok');
    return { status: isWell ? ('ok' as const) : ('unavailable' as const), dependencies };
  },
});

function stateOf(outcome: string): 'ok' | 'unavailable' {
  return outcome === 'ok' ? 'ok' : 'unavailable';
}

const load = defineRoute({
  name: 'load',
  method: 'get',
  path: '/v1/load',
  summary: 'How many calls wait at gates, and how many tasks for a worker, over all owners',
  scope: 'admin',
  status: 200,
  answer: LoadView,
  handle: (_, { client }) => client.load(),
});

const metrics = defineRoute({
  name: 'metrics',
  method: 'get',
  path: '/metrics',
  summary: 'What this process measured, as Prometheus reads it',
  scope: 'admin',
  status: 200,
  mediaType: 'text/plain',
  async handle(_, { renderMetrics }) {
    if (!renderMetrics) throw new Problem('no_route', 'This server keeps no metrics of its own');
    return new Response(await renderMetrics(), { headers: { 'content-type': 'text/plain; version=0.0.4' } });
  },
});

export const serviceRoutes = [listAgents, describeService, live, health, load, metrics];
