// An MCP server over stdio with one tool, made with the bare SDK: both contenders call it.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const server = new McpServer({ name: 'bench', version: '1' });
server.registerTool(
  'lookup',
  {
    description: 'Looks a number up',
    inputSchema: { n: z.number(), bytes: z.number() },
    annotations: { readOnlyHint: true },
  },
  async ({ n, bytes }) => ({ content: [{ type: 'text', text: `${n} `.padEnd(bytes, 'lorem ipsum ') }] }),
);
await server.connect(new StdioServerTransport());
