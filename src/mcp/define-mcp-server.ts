import { DefinitionError } from '../tools/definition-error.ts';
import { defaultTimeoutMs, maxTimeoutMs } from '../tools/check-tool-options.ts';
import { didYouMean } from '../tools/nearest-names.ts';
import { isBehavior } from '../tools/permission-check.ts';
import type { HttpAddress, McpServer, McpServerOptions, StdioAddress } from './server.ts';

const known = [
  'name',
  'command',
  'args',
  'env',
  'cwd',
  'url',
  'headers',
  'transport',
  'oauth',
  'allow',
  'deny',
  'permission',
  'trust',
  'stateful',
  'timeout',
  'connectTimeout',
  'idleTimeout',
  'elicitation',
  'sampling',
] as const satisfies readonly (keyof McpServerOptions)[];

const minute = 60_000;
const example = "{ name: 'files', command: 'npx', args: ['…'] } or { name: 'crm', url: 'https://…/mcp' }";

type Fail = (field: string, problem: string) => never;

/**
 * Checks the definition of an MCP server.
 *
 * @throws DefinitionError naming the field and the remedy.
 */
export function defineMcpServer(options: McpServerOptions): McpServer {
  if (typeof options !== 'object' || options === null)
    throw new DefinitionError('MCP server', 'options', `expected an object such as ${example}.`);
  const subject = checkName(options.name);
  const fail: Fail = (field, problem) => {
    throw new DefinitionError(subject, field, problem);
  };
  const unknown = Object.keys(options).find((key) => !known.some((name) => name === key));
  if (unknown !== undefined)
    fail(
      unknown,
      `there is no such option.${didYouMean(unknown, known)} The options are: ${known.join(', ')}.`,
    );
  checkLists(options, fail);
  checkLimits(options, fail);
  const { allow, deny = [], permission, trust = false, stateful = false, elicitation, sampling } = options;
  if (permission !== undefined && !isBehavior(permission))
    fail('permission', "write 'allow', 'ask' or 'deny'.");
  return Object.freeze<McpServer>({
    name: options.name,
    transport: toAddress(options, fail),
    ...(allow ? { allow: Object.freeze([...allow]) } : {}),
    deny: Object.freeze([...deny]),
    ...(permission === undefined ? {} : { permission }),
    isTrusted: trust,
    isStateful: stateful,
    timeoutMs: options.timeout ?? defaultTimeoutMs,
    connectTimeoutMs: options.connectTimeout ?? minute / 2,
    idleTimeoutMs: options.idleTimeout ?? (stateful ? 30 : 5) * minute,
    ...(elicitation ? { elicitationMs: elicitation === true ? 10 * minute : elicitation.waitMs } : {}),
    ...(sampling ? { sampling: Object.freeze({ permission: 'ask' as const, ...sampling }) } : {}),
  });
}

/** Without `__` and a `_` at its end, so that no two pairs of server and tool come to one name. */
function checkName(name: unknown): string {
  if (typeof name === 'string' && /^[a-zA-Z0-9-]+(_[a-zA-Z0-9-]+)*$/.test(name) && name.length <= 32)
    return `MCP server "${name}"`;
  throw new DefinitionError(
    `MCP server ${JSON.stringify(name)}`,
    'name',
    "write a short name such as 'github': letters, digits, - and single _ between them, at most 32.",
  );
}

function toAddress(options: McpServerOptions, fail: Fail): StdioAddress | HttpAddress {
  const { command, url } = options;
  if ((command === undefined) === (url === undefined))
    fail('command', `write either a command or a url: ${example}.`);
  return command === undefined ? toHttp(options, fail) : toStdio(options, command, fail);
}

function toStdio(options: McpServerOptions, command: string, fail: Fail): StdioAddress {
  for (const field of ['headers', 'transport', 'oauth'] as const)
    if (options[field] !== undefined)
      fail(field, 'it belongs to a server with a url: leave it out, or the command.');
  const { args = [], env = {}, cwd } = options;
  if (typeof command !== 'string' || command.trim() === '')
    fail('command', "write the program, such as 'npx'.");
  if (!isTexts(args)) fail('args', "write a list of texts, such as ['-y', 'some-mcp-server'].");
  if (typeof env !== 'function' && !isTextRecord(env))
    fail('env', 'write an object of texts, or a function (owner) => one.');
  return Object.freeze({
    kind: 'stdio',
    command,
    args: Object.freeze([...args]),
    env,
    ...(cwd === undefined ? {} : { cwd }),
  });
}

function toHttp(options: McpServerOptions, fail: Fail): HttpAddress {
  for (const field of ['args', 'env', 'cwd'] as const)
    if (options[field] !== undefined)
      fail(field, 'it belongs to a server with a command: leave it out, or the url.');
  const { url = '', headers = {}, transport, oauth } = options;
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) fail('url', "write an address such as 'https://…/mcp'.");
  if (parsed?.username || parsed?.password)
    fail('url', 'it has a user or password in it, which would be shown with it: send them in `headers`.');
  if (typeof headers !== 'function' && !isTextRecord(headers))
    fail('headers', 'write an object of texts, or a function (owner) => one.');
  if (typeof headers !== 'function') checkHeaders(headers, fail);
  if (transport !== undefined && transport !== 'http' && transport !== 'sse')
    fail('transport', "write 'http', or 'sse' for a server of the old kind.");
  if (oauth) checkOAuth(oauth, fail);
  const kind = transport ?? (parsed?.pathname.endsWith('/sse') ? 'sse' : 'http');
  return Object.freeze({ kind, url, headers, ...(oauth ? { oauth: Object.freeze({ ...oauth }) } : {}) });
}

/** The values may be secrets, so only their names are said. */
export function checkHeaders(headers: Readonly<Record<string, string>>, fail: Fail): void {
  for (const [name, value] of Object.entries(headers))
    try {
      void new Headers([[name, value]]);
    } catch {
      fail(
        `headers.${name}`,
        'no such header can be sent: its name or value has a line end, or another character that HTTP does not take.',
      );
    }
}

function checkOAuth(oauth: NonNullable<McpServerOptions['oauth']>, fail: Fail): void {
  if (oauth.grant !== 'client_credentials' && oauth.grant !== 'authorization_code')
    fail('oauth.grant', "write 'client_credentials' or 'authorization_code'.");
  if (oauth.grant !== 'client_credentials') return;
  const { clientId, clientSecret, privateKey, algorithm } = oauth;
  if (!clientId || !clientSecret === !privateKey)
    fail(
      'oauth.clientId',
      'client credentials need a clientId, and either a clientSecret or a privateKey (a text, or a function (owner) => text).',
    );
  if (privateKey && !algorithm) fail('oauth.algorithm', "name the key's algorithm, such as 'ES256'.");
}

function checkLists({ allow, deny }: McpServerOptions, fail: Fail): void {
  for (const [field, list] of [
    ['allow', allow],
    ['deny', deny],
  ] as const)
    if (list !== undefined && !isTexts(list))
      fail(field, "write the server's own names of tools, such as ['read_file'].");
  const both = allow?.find((name) => deny?.includes(name));
  if (both !== undefined)
    fail('deny', `${both} is in allow as well: a tool is taken or not, so leave it out of one list.`);
}

function checkLimits(options: McpServerOptions, fail: Fail): void {
  for (const field of ['timeout', 'connectTimeout', 'idleTimeout'] as const)
    if (options[field] !== undefined && !isCount(options[field], maxTimeoutMs))
      fail(field, `write whole milliseconds from 1 to ${maxTimeoutMs}, such as 30_000.`);
  const { elicitation, sampling } = options;
  if (typeof elicitation === 'object' && !isCount(elicitation.waitMs, maxTimeoutMs))
    fail('elicitation.waitMs', 'write whole milliseconds, such as 600_000.');
  if (sampling === undefined) return;
  for (const field of ['maxCalls', 'maxTokens'] as const)
    if (!isCount(sampling[field], 1_000_000))
      fail(
        `sampling.${field}`,
        'write a whole number from 1: a server must not use up the model without a limit.',
      );
}

function isCount(value: unknown, max: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isTextRecord(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((item) => typeof item === 'string')
  );
}
