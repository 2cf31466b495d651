import type { ToolSource } from '../tools/tool-source.ts';
import { defineMcpServer } from './define-mcp-server.ts';
import { definitionOf } from './server-definition.ts';
import type { McpServer, McpServerOptions } from './server.ts';

/** A source that stands for an MCP server: what it names may be defined elsewhere. */
export interface McpSource extends ToolSource {
  /** The definition; absent for one that is named. */
  readonly server?: McpServer;
  /** Of a server that is defined elsewhere. */
  readonly namedServer?: string;
}

let loading: Promise<typeof import('./load-tools.ts')> | undefined;

/**
 * The tools of an MCP server, for an agent's `sources`. A name alone stands for a server of the config's `mcp`, or one that
 * `durascope mcp add` wrote.
 *
 * @example
 * defineAgent({ name: 'coder', …, sources: [mcpServer({ name: 'files', command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] })] })
 * @throws DefinitionError naming the field and the remedy.
 */
export function mcpServer(options: McpServerOptions | McpServer | string): McpSource {
  const server =
    typeof options === 'string' ? undefined : 'isTrusted' in options ? options : defineMcpServer(options);
  const name = typeof options === 'string' ? options : options.name;
  return Object.freeze<McpSource>({
    name: `mcp-${name}`,
    ...(server ? { server, definition: definitionOf(server) } : { namedServer: name }),
    async load(context) {
      // The protocol's library is loaded where it is used: configs are read by programs that connect to nothing.
      const { loadTools } = await (loading ??= import('./load-tools.ts'));
      return loadTools(context, (pool) => server ?? pool.named(name), name);
    },
    async remove(session, { worker }) {
      const { poolOf } = await (loading ??= import('./load-tools.ts'));
      await poolOf(worker).forget(session);
    },
  });
}
