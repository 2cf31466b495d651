import { once } from 'node:events';
import type { Command } from 'commander';
import type { DurascopeClient } from '../client/index.ts';
import type { Settings } from '../settings/settings.ts';
import { UsageError } from './command-error.ts';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { mcpAddCommand } from './mcp-add.ts';
import { mcpAuthCommand } from './mcp-auth.ts';
import { mcpListCommand } from './mcp-list.ts';
import { mcpTestCommand } from './mcp-test.ts';
import { onInterrupt } from './on-interrupt.ts';
import { openClient, withClient } from './open-client.ts';
import { wholeNumber } from './option-parsers.ts';
import { notice } from './output.ts';

interface McpOptions extends CommonOptions {
  http?: number;
  host: string;
  allowApprove?: true;
}

export function mcpCommand(): Command {
  return defineCommand(
    'mcp',
    'serve Durascope to MCP clients (on stdio, or --http), and manage the MCP servers of agents',
    'durascope mcp --owner acme\ndurascope mcp --http 4671 --allow-approve',
  )
    .option('--http <port>', 'serve over streamable HTTP at /mcp instead of stdio', wholeNumber(0, 65_535))
    .option('--host <host>', 'with --http; any but this machine needs DURASCOPE_MCP_TOKEN', '127.0.0.1')
    .option(
      '--allow-approve',
      "lets the client's user answer gates: never for a client that a model drives alone",
    )
    .action(serve)
    .addCommand(mcpAddCommand())
    .addCommand(mcpListCommand())
    .addCommand(mcpTestCommand())
    .addCommand(mcpAuthCommand());
}

async function serve(options: McpOptions): Promise<void> {
  const token = process.env['DURASCOPE_MCP_TOKEN'] || undefined;
  const isLocal = ['127.0.0.1', 'localhost', '::1'].includes(options.host);
  if (options.http !== undefined && !isLocal && token === undefined)
    throw new UsageError(
      `--host ${options.host} can be reached by others: set DURASCOPE_MCP_TOKEN to what clients have to send as their bearer token`,
    );
  const { createMcpServer } = await import('../mcp-server/create-mcp-server.ts');
  const use = async (durascope: DurascopeClient, { owner, config }: Settings) => {
    const access = {
      durascope,
      owner,
      agents: (config?.agents ?? []).map(({ name, description }) => ({
        name,
        ...(description === undefined ? {} : { description }),
      })),
      mayApprove: options.allowApprove === true,
    };
    const create = () => createMcpServer(access);
    if (options.http === undefined) await onStdio(create);
    else await overHttp(create, { port: options.http, host: options.host, ...(token ? { token } : {}) });
  };
  await withClient(flagsOf(options), use, openClient, { readsConfig: true });
}

async function onStdio(
  create: () => ReturnType<typeof import('../mcp-server/create-mcp-server.ts').createMcpServer>,
) {
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
  const server = create();
  // The client ends it by closing our input.
  const ended = Promise.race([once(process.stdin, 'end'), stopAsked()]);
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
}

async function overHttp(
  create: Parameters<typeof import('../mcp-server/serve-http.ts').serveHttp>[0],
  where: { port: number; host: string; token?: string },
) {
  const { serveHttp } = await import('../mcp-server/serve-http.ts');
  const serving = await serveHttp(create, where);
  notice(`MCP at ${serving.url}`);
  await stopAsked();
  await serving.close();
}

function stopAsked(): Promise<void> {
  return new Promise((resolve) => {
    onInterrupt(() => resolve());
  });
}
