import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ContextCache } from '../../src/activities/context-cache.ts';
import { equip } from '../../src/activities/equip.ts';
import { createAgentRegistry } from '../../src/agents/agent-registry.ts';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { mcpServer } from '../../src/mcp/mcp-source.ts';
import { createModelRegistry } from '../../src/model/registry.ts';
import { openVault } from '../../src/store/vault.ts';
import { openWorkerScope } from '../../src/worker/worker-scope.ts';
import type { Row } from '../support/figure.ts';
import type { Stage } from '../support/stage.ts';
import { median } from '../support/statistics.ts';

const servers = 20;
const toolsOfEach = 25;

/** Making the tool list of a step whose agent has 500 tools of 20 MCP servers, after the first; and how often a server is asked for it. */
export async function toolList(stage: Stage): Promise<Row[]> {
  const { store } = stage.content;
  const site = await startServers();
  const agent = defineAgent({
    name: 'many',
    model: 'bench/scripted',
    instructions: 'You look numbers up.',
    maxShownTools: servers * toolsOfEach,
    sources: Array.from({ length: servers }, (_, i) =>
      mcpServer({ name: `server${i}`, url: `${site.url}/${i}`, trust: true }),
    ),
  });
  const models = createModelRegistry();
  const worker = openWorkerScope({ vault: openVault(store.secrets), models });
  const ref = { owner: 'bench', sessionId: stage.newName() };
  await store.sessions.open(ref, agent.name);
  const deps = {
    store,
    agents: createAgentRegistry([agent]),
    models,
    contexts: new ContextCache(),
    worker,
    lingerMs: 0,
    hasSearchAttributes: false,
  };
  try {
    const first = await equip(deps, agent, ref);
    const asked = site.requests();
    const times: number[] = [];
    for (let round = 0; round < (stage.isQuick ? 3 : 50); round += 1) {
      const begin = performance.now();
      await equip(deps, agent, ref);
      times.push(performance.now() - begin);
    }
    const count = first.tools.filter(({ name }) => name.startsWith('mcp__')).length;
    return [
      {
        figure: `tool list of a step with ${count} tools of ${servers} MCP servers`,
        unit: 'ms',
        measured: median(times),
        target: { atMost: 10 },
      },
      {
        figure: `requests to the servers for it, in ${times.length} steps`,
        unit: 'reads',
        measured: site.requests() - asked,
        target: { atMost: 0 },
      },
    ];
  } finally {
    await worker.close();
    await site.close();
  }
}

/** Twenty MCP servers at one port, hand-made: only what is asked of them counts. */
async function startServers() {
  let requests = 0;
  const properties = { n: { type: 'number' }, note: { type: 'string', description: 'What it is for' } };
  const tools = Array.from({ length: toolsOfEach }, (_, i) => ({
    name: `tool_${i}`,
    description: 'Looks something up, as its name says',
    inputSchema: { type: 'object', properties, required: ['n'] },
    annotations: { readOnlyHint: true },
  }));
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      requests += 1;
      if (request.method !== 'POST') return response.writeHead(405).end();
      const { id, method } = JSON.parse(body) as { id?: number; method: string };
      if (id === undefined) return response.writeHead(202).end();
      const serverInfo = { name: 'bench', version: '1' };
      const result =
        method === 'initialize'
          ? { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo }
          : { tools };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
