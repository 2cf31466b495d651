import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { mcpCommand } from '../support/mcp-command.ts';

/** They only echo: what is left is what Temporal costs. */
export async function model(step: number): Promise<number> {
  return step;
}

/** Asks a model endpoint as our worker does: by HTTP, the answer streamed. */
export async function ask(modelUrl: string, input: string): Promise<string> {
  const response = await fetch(`${modelUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'scripted', stream: true, messages: [{ role: 'user', content: input }] }),
  });
  return (await response.text()).slice(0, 200);
}

export async function tool(call: number): Promise<number> {
  return call;
}

let client: Promise<Client> | undefined;

/** An MCP call by the bare SDK. */
export async function mcpCall(n: number): Promise<unknown> {
  client ??= connect();
  return (await client).callTool({ name: 'lookup', arguments: { n, bytes: 32 } });
}

async function connect(): Promise<Client> {
  const opened = new Client({ name: 'bench', version: '1' });
  await opened.connect(new StdioClientTransport({ ...mcpCommand, stderr: 'inherit' }));
  return opened;
}
