import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { OAuthError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { describeError } from '../tools/tool-errors.ts';
import { McpServerError } from './mcp-error.ts';

/** Codes of a connection that was never made: nothing was sent over it. */
const neverSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'EACCES',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** What an error of the SDK means for a request that was sent, or was about to be. Texts may hold what the server said: scrub them. */
export function classifyError(error: unknown): McpServerError {
  if (error instanceof McpServerError) return error;
  if (error instanceof StreamableHTTPError) return ofStatus(error);
  if (error instanceof UnauthorizedError || error instanceof OAuthError)
    return new McpServerError('unauthorized', `it wants other credentials: ${describeError(error)}`);
  if (error instanceof McpError)
    return new McpServerError('refused', error.message.replace(/^MCP error /, 'error '));
  if (isZodError(error))
    return new McpServerError('invalid_answer', 'it answered with something that the protocol does not know');
  const code = codeOf(error);
  if (code !== undefined && neverSent.has(code))
    return new McpServerError('unavailable', `it can't be reached: ${describeError(error)}`);
  return new McpServerError('lost', `the connection broke: ${describeError(error)}`);
}

/** A status below 500 says that nothing was done; one above may come from a proxy that knows nothing of the outcome. */
function ofStatus(error: StreamableHTTPError): McpServerError {
  const { code = 0 } = error;
  const said = error.message.slice(0, 500);
  if (code === 401 || code === 403) return new McpServerError('unauthorized', `it refused us: ${said}`);
  if (code === 404) return new McpServerError('session_gone', `it has forgotten the session: ${said}`);
  if (code === -1) return new McpServerError('invalid_answer', said);
  if (code >= 400 && code < 500) return new McpServerError('refused', said);
  return new McpServerError('lost', said);
}

function isZodError(error: unknown): boolean {
  return error instanceof Error && (error.name === 'ZodError' || error.name === '$ZodError');
}

/** The system's code, of the error or one of its causes. */
function codeOf(error: unknown): string | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1)
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
  return undefined;
}
