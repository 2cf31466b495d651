import type { Command } from 'commander';
import { shownUrl } from '../mcp/secret-texts.ts';
import type { McpServer } from '../mcp/server.ts';
import { findSettings } from './mcp-settings.ts';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { knownServers } from './mcp-servers.ts';
import { notice, printJson, printLines } from './output.ts';
import { table } from './text.ts';

export function mcpListCommand(): Command {
  return defineCommand(
    'mcp list',
    'list the MCP servers of the config, its agents and .durascope/mcp.json',
    'durascope mcp list',
  ).action(list);
}

async function list(options: CommonOptions): Promise<void> {
  const servers = knownServers(await findSettings(flagsOf(options)));
  if (options.json)
    return printJson(
      servers.map(({ server, from }) => ({
        name: server.name,
        from,
        kind: server.transport.kind,
        address: addressOf(server),
        trusted: server.isTrusted,
        stateful: server.isStateful,
      })),
    );
  if (servers.length === 0) return notice('no MCP server is defined here: durascope mcp add NAME …');
  const rows = servers.map(({ server, from }) => [
    server.name,
    server.transport.kind,
    addressOf(server),
    [...(server.isTrusted ? ['trusted'] : []), ...(server.isStateful ? ['stateful'] : [])].join(', '),
    from,
  ]);
  printLines(table(['NAME', 'KIND', 'ADDRESS', '', 'FROM'], rows));
}

/** Without what may be secret: arguments of a program are shown, the query of an address is not. */
function addressOf({ transport }: McpServer): string {
  return transport.kind === 'stdio'
    ? [transport.command, ...transport.args].join(' ')
    : shownUrl(transport.url);
}
