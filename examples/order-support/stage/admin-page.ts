import { describeAgent } from '../../../src/agents/describe-agent.ts';
import type { DurascopeClient } from 'durascope/client';
import { builtAdminPage, createServer, listen, openAccess } from 'durascope/server';
import type { EmbeddedTemporal } from '../../../src/embedded/temporal.ts';
import { support } from '../agent.ts';

/** Serves the API with the admin page to this machine, for as long as the demo runs. */
export async function startAdminPage(client: DurascopeClient, { uiUrl, namespace }: EmbeddedTemporal) {
  const page = builtAdminPage();
  const server = createServer({
    client,
    authenticate: openAccess('demo'),
    agents: () => [describeAgent(support)],
    schedules: client.schedules,
    ...(page === undefined ? {} : { adminPage: page }),
    ...(uiUrl === undefined ? {} : { temporalWeb: { url: uiUrl, namespace } }),
  });
  const listening = await listen(server, { port: 0 });
  return { url: `${listening.url}/`, stop: () => listening.close(1_000) };
}
