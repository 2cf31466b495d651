import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { DefinitionError } from '../tools/definition-error.ts';
import { checkHeaders, defineMcpServer } from './define-mcp-server.ts';
import type { McpServer, McpServerOptions } from './server.ts';

const texts = z.record(z.string(), z.string());

/** A server as the file has it: plain data, with `${NAME}` in place of what comes from the environment. */
const Entry = z.strictObject({
  command: z.string().optional(),
  args: z.array(z.string()).optional(),
  env: texts.optional(),
  cwd: z.string().optional(),
  url: z.string().optional(),
  headers: texts.optional(),
  transport: z.enum(['http', 'sse']).optional(),
  oauth: z
    .strictObject({
      grant: z.enum(['authorization_code', 'client_credentials']),
      clientId: z.string().optional(),
      clientSecret: z.string().optional(),
      scope: z.string().optional(),
      issuer: z.string().optional(),
    })
    .optional(),
  allow: z.array(z.string()).optional(),
  deny: z.array(z.string()).optional(),
  permission: z.enum(['allow', 'ask', 'deny']).optional(),
  trust: z.boolean().optional(),
  stateful: z.boolean().optional(),
  timeout: z.number().optional(),
  connectTimeout: z.number().optional(),
  idleTimeout: z.number().optional(),
  elicitation: z.union([z.boolean(), z.strictObject({ waitMs: z.number() })]).optional(),
  sampling: z
    .strictObject({
      maxCalls: z.number(),
      maxTokens: z.number(),
      permission: z.enum(['ask', 'allow']).optional(),
    })
    .optional(),
});
export type McpFileEntry = z.infer<typeof Entry>;

const File = z.strictObject({ servers: z.record(z.string(), Entry) });

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The servers that `durascope mcp add` wrote. Variables are looked up when a connection is made, so that the file, and whoever reads it, has
 * no secrets.
 *
 * @throws DefinitionError naming the file and what is wrong in it.
 */
export function readMcpServers(file: string, env: Env = process.env): McpServer[] {
  return Object.entries(readMcpFile(file)).map(([name, entry]) => toServer(name, entry, env));
}

export function readMcpFile(file: string): Record<string, McpFileEntry> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new DefinitionError(file, 'JSON', `it can't be read: ${(cause as Error).message}`, { cause });
  }
  const parsed = File.safeParse(json);
  if (parsed.success) return parsed.data.servers;
  const [issue] = parsed.error.issues;
  throw new DefinitionError(file, issue?.path.join('.') ?? '', `${issue?.message}.`);
}

/** Adds or replaces one. Whole or not at all, whatever happens meanwhile. @throws DefinitionError when the entry can't be. */
export function writeMcpServer(file: string, name: string, entry: McpFileEntry): void {
  toServer(name, entry, process.env);
  const servers = { ...readMcpFile(file), [name]: entry };
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify({ servers }, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

export function toServer(name: string, entry: McpFileEntry, env: Env): McpServer {
  const { env: variables, headers, oauth, ...rest } = entry;
  checkHeaders(headers ?? {}, (field, problem) => {
    throw new DefinitionError(`MCP server ${name}`, field, problem);
  });
  const filled = (values: Record<string, string>) => () =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, fill(value, env)]));
  const options = {
    ...rest,
    name,
    ...(variables ? { env: hasVariables(variables) ? filled(variables) : variables } : {}),
    ...(headers ? { headers: filled(headers) } : {}),
    ...(oauth
      ? {
          oauth: {
            ...oauth,
            ...(oauth.clientSecret === undefined
              ? {}
              : { clientSecret: () => fill(oauth.clientSecret ?? '', env) }),
          },
        }
      : {}),
  };
  return defineMcpServer(withoutUndefined(options) as unknown as McpServerOptions);
}

const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

function hasVariables(values: Record<string, string>): boolean {
  return Object.values(values).some((value) => value.search(variable) >= 0);
}

function fill(value: string, env: Env): string {
  return value.replaceAll(variable, (_, name: string) => {
    const found = env[name];
    if (found === undefined) throw new Error(`the environment variable ${name} is not set`);
    return found;
  });
}

function withoutUndefined(record: object): object {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
