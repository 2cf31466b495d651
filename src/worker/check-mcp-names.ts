import type { Agent } from '../agents/agent.ts';
import type { McpServer } from '../mcp/server.ts';
import { DefinitionError } from '../tools/definition-error.ts';
import type { ToolSource } from '../tools/tool-source.ts';
import { didYouMean } from '../tools/nearest-names.ts';

/** @throws DefinitionError when an agent names an MCP server that nobody defined: its tools would be missing in every turn. */
export function checkMcpNames(agents: readonly Agent[], servers: readonly McpServer[]): void {
  const names = servers.map(({ name }) => name);
  for (const agent of agents)
    for (const [index, source] of allSources(agent).entries()) {
      if (!('namedServer' in source) || typeof source.namedServer !== 'string') continue;
      const name = source.namedServer;
      if (names.includes(name)) continue;
      throw new DefinitionError(
        `agent "${agent.name}"`,
        `sources[${index}]`,
        `there is no MCP server "${name}".${didYouMean(name, names)} Add it with "durascope mcp add ${name} …", or to \`mcp\` of the config.`,
      );
    }
}

/** Those of tool groups come last. */
function allSources({ sources, toolGroups }: Agent): ToolSource[] {
  return [...sources, ...Object.values(toolGroups).flatMap((group) => group.sources ?? [])];
}
