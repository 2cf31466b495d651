import { defineMcpServer } from '../mcp/define-mcp-server.ts';
import type { McpServer, McpServerOptions } from '../mcp/server.ts';
import { ConfigSettings } from '../schema/agent.ts';
import { DefinitionError } from '../tools/definition-error.ts';
import { createAgentRegistry } from './agent-registry.ts';
import type { Agent } from './agent.ts';
import { isAgent } from './define-agent.ts';
import { parseDefinition } from './definition-issues.ts';

/** What `durascope.config.ts` exports. What is absent comes from flags and the environment, which go before it, and then from defaults. */
export interface Config extends ConfigSettings {
  agents: readonly Agent[];
  /** MCP servers that agents name in their `sources`, as `mcpServer('name')`. */
  mcp?: readonly (McpServer | McpServerOptions)[];
}

/** A config that was checked. */
export interface CheckedConfig extends ConfigSettings {
  readonly agents: readonly Agent[];
  readonly mcp?: readonly McpServer[];
}

/**
 * Checks a config.
 *
 * @example export default defineConfig({ agents: [support], store: 'sqlite:.durascope/store.db' });
 * @throws DefinitionError naming the field and the remedy.
 */
export function defineConfig(options: Config): CheckedConfig {
  if (typeof options !== 'object' || options === null) {
    throw new DefinitionError('config', 'options', 'expected an object such as { agents: [support] }.');
  }
  const agents = checkAgents(options.agents);
  const settings = parseDefinition('config', ConfigSettings, options, ['agents', 'mcp']);
  return Object.freeze({ ...settings, agents, ...(options.mcp ? { mcp: checkServers(options.mcp) } : {}) });
}

/** A config that was checked before is checked again when it is loaded. */
function checkServers(servers: unknown): readonly McpServer[] {
  if (!Array.isArray(servers))
    throw new DefinitionError(
      'config',
      'mcp',
      "write an array of MCP servers, such as [{ name: 'files', command: '…' }].",
    );
  const checked = (servers as (McpServer | McpServerOptions)[]).map((server) =>
    'isTrusted' in server ? server : defineMcpServer(server),
  );
  const twice = checked.find(({ name }, i) => checked.findIndex((other) => other.name === name) !== i);
  if (twice) throw new DefinitionError('config', 'mcp', `two servers are named ${twice.name}: rename one.`);
  return Object.freeze(checked);
}

function checkAgents(agents: unknown): readonly Agent[] {
  if (!Array.isArray(agents) || agents.length === 0) {
    throw new DefinitionError('config', 'agents', 'write an array of at least one agent, such as [support].');
  }
  const stranger = agents.findIndex((agent) => !isAgent(agent));
  if (stranger >= 0) {
    throw new DefinitionError(
      'config',
      `agents[${stranger}]`,
      'this is no agent: wrap its options, as in defineAgent({ … }).',
    );
  }
  createAgentRegistry(agents as Agent[]);
  return Object.freeze([...(agents as Agent[])]);
}
