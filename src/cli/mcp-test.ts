import type { Command } from 'commander';
import type { Catalog } from '../mcp/catalog.ts';
import { isToolTaken, type McpServer } from '../mcp/server.ts';
import { createModelRegistry } from '../model/registry.ts';
import { openVault } from '../store/vault.ts';
import { describeError } from '../tools/tool-errors.ts';
import type { Tool } from '../tools/tool.ts';
import { CommandError } from './command-error.ts';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { openExistingStore } from './existing-store.ts';
import { keyFileOf, knownServer } from './mcp-servers.ts';
import { findSettings } from './mcp-settings.ts';
import { printJson, printLines } from './output.ts';
import { oneLine, printable, table } from './text.ts';

export function mcpTestCommand(): Command {
  return defineCommand(
    'mcp test',
    'connect to an MCP server, list its tools, and say what is wrong',
    'durascope mcp test files\ndurascope mcp test crm --owner acme',
  )
    .argument('<name>', 'as "durascope mcp list" has it')
    .addHelpText('after', '\nExit codes: 0 it works; 1 it does not.\n')
    .action(test);
}

async function test(name: string, options: CommonOptions): Promise<void> {
  const settings = await findSettings(flagsOf(options));
  const server = knownServer(settings, name);
  const content = await openExistingStore(settings.store);
  const vault = openVault(content.store.secrets, { keyFile: keyFileOf(settings) });
  // Only here, for they load the protocol's library.
  const [{ McpPool }, { toTool }] = await Promise.all([
    import('../mcp/pool.ts'),
    import('../mcp/to-tool.ts'),
  ]);
  const pool = new McpPool({ vault, models: createModelRegistry() });
  try {
    const request = {
      ref: { owner: settings.owner, sessionId: 'mcp-test' },
      model: '',
      workingDirectories: [],
    };
    const link = await pool.link(server, request);
    const catalog = await link.catalog();
    const tools = catalog.tools.map((remote) => ({
      own: remote.name,
      isTaken: isToolTaken(server, remote.name),
      tool: toTool(link, remote),
    }));
    const owner = { owner: settings.owner, sessionId: 'mcp-test' };
    const rows = await Promise.all(
      tools.map(async ({ own, isTaken, tool }) => ({
        name: tool.name,
        tool: own,
        taken: isTaken,
        permission: await wordFor(tool, owner),
        description: tool.description,
      })),
    );
    if (options.json)
      return printJson({ name, server: catalog.identity, tools: rows, faults: catalog.faults });
    printLines(render(server, catalog, rows));
  } catch (error) {
    throw new CommandError('mcp_failed', `${name} does not work: ${describeError(error)}`, { cause: error });
  } finally {
    await pool.close();
    await content.close();
  }
}

interface Row {
  name: string;
  taken: boolean;
  permission: string;
  description: string;
}

function render({ name }: McpServer, catalog: Catalog, rows: readonly Row[]): string[] {
  const more = [...(catalog.hasResources ? ['resources'] : []), ...(catalog.hasPrompts ? ['prompts'] : [])];
  const besides = more.length > 0 ? `, and ${more.join(' and ')}` : '';
  return [
    printable(`${name} works: ${catalog.identity}, ${rows.length} tools${besides}`),
    ...catalog.faults.map((fault) => printable(`warning: ${fault}`)),
    ...table(
      ['TOOL', 'WITHOUT A RULE', 'WHAT IT DOES'],
      rows.map(({ name, taken, permission, description }) => [
        name,
        taken ? permission : 'left out',
        oneLine(description, 60),
      ]),
    ),
  ];
}

async function wordFor(tool: Tool, context: { owner: string; sessionId: string }): Promise<string> {
  const decision = await tool.checkPermission({}, context);
  if (decision) return decision.behavior === 'ask' ? 'asks' : decision.behavior;
  return tool.isReadOnly({}) ? 'passes' : 'asks';
}
