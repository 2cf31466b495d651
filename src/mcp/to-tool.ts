import {
  CallToolResultSchema,
  type CallToolResult,
  type Tool as RemoteTool,
} from '@modelcontextprotocol/sdk/types.js';
import type { PermissionDecision } from '../core/permission.ts';
import type { Json } from '../schema/message.ts';
import { OutcomeUnknownError } from '../tools/outcome-unknown.ts';
import { issueTexts, type Checked } from '../tools/schema-issues.ts';
import { text } from '../tools/tool-parts.ts';
import type { Tool, ToolContext, ToolParts } from '../tools/tool.ts';
import { textOf, toToolParts } from './content.ts';
import type { Link } from './link.ts';
import { McpServerError } from './mcp-error.ts';
import { samplingWaitMs } from './sampling.ts';
import { serverSchemaCheck } from './server-schema.ts';
import type { McpServer } from './server.ts';
import { stateNote } from './server-state.ts';
import { mcpToolName } from './tool-names.ts';

const longestDescription = 8_000;

/** What a tool of an MCP server has in common, whatever it does. */
export interface Traits {
  name: string;
  description: string;
  parameters: Record<string, Json>;
  validate: Tool['validate'];
  isReadOnly: boolean;
  isIdempotent: boolean;
  isDestructive: boolean;
  execute: Tool['execute'];
}

/** A tool of a server, as the loop sees it. Schemas are compiled when they are needed: a step that calls none of 500 tools compiles none. */
export function toTool(link: Link, remote: RemoteTool): Tool {
  const { server } = link;
  const { $schema: _, ...parameters } = remote.inputSchema as Record<string, Json>;
  const check = serverSchemaCheck(parameters);
  const checkOutput = remote.outputSchema && serverSchemaCheck(remote.outputSchema as Record<string, Json>);
  const { readOnlyHint, idempotentHint, destructiveHint } = remote.annotations ?? {};
  const isReadOnly = server.isTrusted && readOnlyHint === true;
  const isIdempotent = server.isTrusted && idempotentHint === true;
  return fromTraits(server, {
    name: mcpToolName(server.name, remote.name),
    description: describe(link, remote),
    parameters,
    validate: async (args) => {
      const checked = check(args ?? {});
      return checked.ok ? checked : { ok: false, issues: issueTexts(checked.issues) };
    },
    isReadOnly,
    isIdempotent,
    isDestructive: destructiveHint === true,
    async execute(input, context) {
      const params = { name: remote.name, arguments: input as Record<string, unknown> };
      const { result, note } = await callRepeatedly(link, context, isReadOnly || isIdempotent, params);
      if (result.isError)
        throw new Error(textOf(result.content, (said) => link.secrets.scrub(said)) || 'it says no more');
      if (checkOutput) checkStructured(result, checkOutput);
      const parts = toToolParts(result.content, result.structuredContent, (said) => link.secrets.scrub(said));
      return withNote(parts, note);
    },
  });
}

export function fromTraits(server: McpServer, traits: Traits): Tool {
  const { name, description, parameters, validate, execute, isReadOnly, isIdempotent } = traits;
  const waitMs = (server.elicitationMs ?? 0) + (server.sampling?.permission === 'ask' ? samplingWaitMs : 0);
  return Object.freeze<Tool>({
    name,
    description,
    parameters,
    validate,
    execute,
    ...(waitMs > 0 ? { waitMs } : {}),
    isReadOnly: () => isReadOnly,
    isConcurrencySafe: () => isReadOnly,
    isIdempotent,
    isRemote: true,
    isExternal: false,
    returnDirect: false,
    timeoutMs: server.timeoutMs,
    maxAttempts: 1,
    checkPermission: async () => permissionOf(server, traits),
  });
}

/** Hints of a server count where they make it stricter; those that open something only where it is trusted. */
function permissionOf(
  server: McpServer,
  { isReadOnly, isDestructive }: Traits,
): PermissionDecision | undefined {
  const { name, permission, isTrusted } = server;
  if (permission === 'allow' && isDestructive && !isTrusted)
    return { behavior: 'ask', reason: `${name} says that this tool may destroy something` };
  if (permission !== undefined)
    return { behavior: permission, reason: `the definition of ${name} says ${permission}` };
  if (isReadOnly) return undefined;
  return {
    behavior: 'ask',
    reason: isDestructive
      ? `${name} says that this tool may destroy something`
      : `tools of the MCP server ${name} have to be allowed`,
  };
}

/** A lost connection is tried once more where the call may be repeated; where nothing was done, in any case. */
async function callRepeatedly(
  link: Link,
  context: ToolContext,
  mayRepeat: boolean,
  params: { name: string; arguments: Record<string, unknown> },
): Promise<{ result: CallToolResult; note: string | undefined }> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await link.use(async (connection) => {
        const note = await stateNote(link, context);
        const request = { method: 'tools/call' as const, params };
        return { result: await connection.call(context, request, CallToolResultSchema), note };
      });
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof McpServerError)) throw error;
      if (error.code === 'session_gone') await link.disconnect();
      const isUntouched = error.code === 'session_gone' || (error.code === 'unavailable' && link.opened > 0);
      if (attempt === 1 && (isUntouched || (mayRepeat && error.code === 'lost'))) continue;
      throw toToolError(link, error, mayRepeat);
    }
  }
}

function toToolError(link: Link, error: McpServerError, mayRepeat: boolean): Error {
  const { name } = link.server;
  switch (error.code) {
    case 'lost':
      return mayRepeat
        ? new Error(`the connection to ${name} broke twice: ${error.message}`)
        : new OutcomeUnknownError(
            `The connection to the MCP server ${name} ended in the middle of the call, so that it may or may not have happened: ${error.message}`,
          );
    case 'too_large':
    case 'invalid_answer':
      return new Error(
        `it ran, and may have taken effect, but ${error.message}. Don't repeat the call for this; ask for less.`,
      );
    case 'unauthorized':
      return new Error(`${name} does not let us in: ${error.message}`);
    case 'unavailable':
    case 'session_gone':
      return new Error(`${name} can't be reached, and nothing was done: ${error.message}`);
    case 'refused':
      // It may know the tool no longer.
      link.invalidate();
      return new Error(error.message);
  }
}

function checkStructured(result: CallToolResult, check: (value: unknown) => Checked): void {
  const { structuredContent } = result;
  const ran = "It ran, and may have taken effect: don't repeat the call for this.";
  if (structuredContent === undefined)
    throw new Error(`the server's answer lacks the structured content that it promises. ${ran}`);
  const checked = check(structuredContent);
  if (!checked.ok)
    throw new Error(
      `the server's structured answer breaks its own output schema: ${issueTexts(checked.issues).join('; ')}. ${ran}`,
    );
}

function describe({ server, secrets }: Link, { description, title, annotations, name }: RemoteTool): string {
  const said = (description ?? title ?? annotations?.title ?? '').trim();
  return secrets.scrub(said === '' ? `${name} of ${server.name}` : said).slice(0, longestDescription);
}

export function withNote(parts: ToolParts[], note: string | undefined): ToolParts[] | undefined {
  const all = note === undefined ? parts : [text(note), ...parts];
  return all.length === 0 ? undefined : all;
}
