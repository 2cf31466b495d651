// Our MCP server for the official conformance suite, with nothing behind it: what is tested is the protocol.
import { createMcpServer } from '../../../src/mcp-server/create-mcp-server.ts';
import { serveHttp } from '../../../src/mcp-server/serve-http.ts';
import type { Durascope } from '../../../src/client/client.ts';

const nothing = {} as Durascope;
const serving = await serveHttp(
  () => createMcpServer({ durascope: nothing, owner: 'acme', agents: [], mayApprove: true }),
  { port: 0 },
);
console.log(serving.url);
process.once('SIGTERM', () => void serving.close());
