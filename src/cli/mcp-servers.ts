import { join } from 'node:path';
import type { McpServer } from '../mcp/server.ts';
import { readMcpServers } from '../mcp/mcp-file.ts';
import type { Settings } from '../settings/settings.ts';
import { didYouMean } from '../tools/nearest-names.ts';
import { CommandError } from './command-error.ts';

/** What `durascope mcp add` writes. */
export function mcpFileOf({ stateDir }: Pick<Settings, 'stateDir'>): string {
  return join(stateDir, 'mcp.json');
}

/** The key of what is kept for owners, where the environment names none. */
export function keyFileOf({ stateDir }: Pick<Settings, 'stateDir'>): string {
  return join(stateDir, 'secret.key');
}

/** Servers that agents may name: the config's, and those of the file that it does not define itself. */
export function namedServers(settings: Pick<Settings, 'stateDir' | 'config'>): McpServer[] {
  const own = settings.config?.mcp ?? [];
  const added = readMcpServers(mcpFileOf(settings));
  return [...own, ...added.filter(({ name }) => !own.some((server) => server.name === name))];
}

export interface KnownServer {
  server: McpServer;
  /** Where it is defined. */
  from: string;
}

/** All servers of a project: those that agents define themselves as well. */
export function knownServers(settings: Pick<Settings, 'stateDir' | 'config'>): KnownServer[] {
  const known = new Map<string, KnownServer>();
  const take = (server: McpServer, from: string) => {
    if (!known.has(server.name)) known.set(server.name, { server, from });
  };
  for (const agent of settings.config?.agents ?? [])
    for (const source of [
      ...agent.sources,
      ...Object.values(agent.toolGroups).flatMap((group) => group.sources ?? []),
    ])
      if ('server' in source) take(source.server as McpServer, `agent ${agent.name}`);
  for (const server of settings.config?.mcp ?? []) take(server, 'config');
  for (const server of readMcpServers(mcpFileOf(settings))) take(server, 'mcp.json');
  return [...known.values()];
}

/** @throws CommandError `unknown_server` */
export function knownServer(settings: Pick<Settings, 'stateDir' | 'config'>, name: string): McpServer {
  const servers = knownServers(settings);
  const found = servers.find(({ server }) => server.name === name);
  if (found) return found.server;
  const names = servers.map(({ server }) => server.name);
  throw new CommandError(
    'unknown_server',
    `There is no MCP server "${name}" here.${didYouMean(name, names)} ${
      names.length === 0
        ? `Add it: durascope mcp add ${name} --url https://… or -- COMMAND`
        : `There is: ${names.join(', ')}`
    }`,
  );
}
