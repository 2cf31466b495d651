import { AgentList, HealthView, Live } from '../../schema/api-answers.ts';
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

export const serviceRoutes = [listAgents, live, health];
