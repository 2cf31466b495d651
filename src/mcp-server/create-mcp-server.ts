import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { ownVersion } from '../mcp/version.ts';
import { addDurascopeTools, type Access } from './durascope-tools.ts';

/** Durascope as an MCP server, for one connection. */
export function createMcpServer(access: Access): McpServer {
  const server = new McpServer(
    { name: 'durascope', title: 'Durascope', version: ownVersion() },
    {
      capabilities: { tools: {}, logging: {} },
      instructions:
        'Starts durable agent turns with start_turn. A turn that waits at a gate needs a person: show them what waits.',
    },
  );
  addDurascopeTools(server, access);
  return server;
}
