import type { Command } from 'commander';
import { readMcpFile, writeMcpServer, type McpFileEntry } from '../mcp/mcp-file.ts';
import { DefinitionError } from '../tools/definition-error.ts';
import { resolveSettings } from '../settings/settings.ts';
import { CommandError, UsageError } from './command-error.ts';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { mcpFileOf } from './mcp-servers.ts';
import { wholeNumber } from './option-parsers.ts';
import { notice, printJson, printLines } from './output.ts';

interface AddOptions extends CommonOptions {
  url?: string;
  sse?: true;
  header: Record<string, string>;
  env: Record<string, string>;
  cwd?: string;
  allow?: string[];
  deny?: string[];
  permission?: 'allow' | 'ask' | 'deny';
  trust?: true;
  stateful?: true;
  timeout?: number;
  oauth?: true;
  clientId?: string;
  clientSecret?: string;
  scope?: string;
  force?: true;
}

const namesSecret = /key|token|secret|pass|credential|auth/i;

export function mcpAddCommand(): Command {
  return defineCommand(
    'mcp add',
    'add an MCP server to .durascope/mcp.json, for agents that name it: sources: [mcpServer(NAME)]',
    "durascope mcp add files -- npx -y @modelcontextprotocol/server-filesystem .\ndurascope mcp add crm --url https://crm.example/mcp --header 'Authorization=Bearer ${CRM_TOKEN}'",
  )
    .argument('<name>', 'its tools are named mcp__NAME__TOOL')
    .argument('[command...]', 'the program of a local server, after --')
    .option('--url <url>', 'of a server over HTTP')
    .option('--sse', 'it speaks the old HTTP+SSE transport')
    .option(
      '--header <name=value>',
      'sent with each request; ${VAR} is filled in from the environment',
      pair,
      {},
    )
    .option('--env <name=value>', 'for its process; ${VAR} is filled in from the environment', pair, {})
    .option('--cwd <folder>', 'of its process')
    .option('--allow <names>', 'the only tools to take, by its own names, with commas between them', list)
    .option('--deny <names>', 'tools to leave out', list)
    .option('--permission <behavior>', 'allow, ask or deny: what its tools do without a rule')
    .option('--trust', 'believe what it says of its tools: that they only read, or may be repeated')
    .option('--stateful', 'it keeps a state: each session gets one of its own')
    .option('--timeout <ms>', 'limit of one call', wholeNumber(1, 2_147_483_647))
    .option(
      '--oauth',
      'people sign in with "durascope mcp auth"; with a client secret it is a service account',
    )
    .option('--client-id <id>', 'of an OAuth client that is registered already')
    .option('--client-secret <value>', 'its secret, as ${VAR}: flags are seen by other users')
    .option('--scope <scope>', 'to ask for')
    .option('--force', 'replace a server that has this name already')
    .action(add);
}

async function add(name: string, command: string[], options: AddOptions): Promise<void> {
  const settings = await resolveSettings(flagsOf(options), { skipsConfig: true });
  const file = mcpFileOf(settings);
  const entry = toEntry(command, options);
  if (!options.force && Object.hasOwn(readMcpFile(file), name))
    throw new CommandError(
      'server_exists',
      `${file} has a server ${name} already: choose another name, or replace it with --force`,
    );
  try {
    writeMcpServer(file, name, entry);
  } catch (error) {
    if (error instanceof DefinitionError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
  const secretVariables = Object.entries(options.env).filter(([variable]) => namesSecret.test(variable));
  const literal = [
    ...Object.values(options.header),
    ...secretVariables.map(([, value]) => value),
    options.clientSecret ?? '',
  ].some((value) => value !== '' && !value.includes('${'));
  if (literal)
    notice(`${file} now holds a secret as it is: write it as \${VARIABLE} instead, and set the variable`);
  if (options.json) return printJson({ name, file });
  printLines([
    `added ${name} to ${file}`,
    `check it with "durascope mcp test ${name}"; agents use it as sources: [mcpServer('${name}')]`,
  ]);
}

function toEntry(parts: string[], options: AddOptions): McpFileEntry {
  const [command, ...args] = parts;
  const { url, sse, header, env, cwd, allow, deny, permission, trust, stateful, timeout } = options;
  const oauth = oauthOf(options);
  const entry = {
    command,
    ...(args.length > 0 ? { args } : {}),
    ...(Object.keys(env).length > 0 ? { env } : {}),
    cwd,
    url,
    ...(Object.keys(header).length > 0 ? { headers: header } : {}),
    ...(sse ? { transport: 'sse' as const } : {}),
    oauth,
    allow,
    deny,
    permission,
    trust,
    stateful,
    timeout,
  };
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined)) as McpFileEntry;
}

function oauthOf({ oauth, clientId, clientSecret, scope }: AddOptions): McpFileEntry['oauth'] {
  if (!oauth && clientId === undefined) return undefined;
  const isService = clientSecret !== undefined;
  return {
    grant: isService ? 'client_credentials' : 'authorization_code',
    ...(clientId === undefined ? {} : { clientId }),
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(scope === undefined ? {} : { scope }),
  };
}

function pair(text: string, before: Record<string, string>): Record<string, string> {
  const at = text.search(/[=:]/);
  if (at < 1) throw new UsageError(`"${text}" is no NAME=VALUE`);
  return { ...before, [text.slice(0, at).trim()]: text.slice(at + 1).trim() };
}

function list(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
