/**
 * What went wrong with an MCP server.
 * - `unavailable`: it can't be reached; nothing was sent
 * - `unauthorized`: it wants credentials that are missing or no longer good; nothing was done
 * - `session_gone`: it has forgotten our session; nothing was done
 * - `lost`: the request was sent, and the connection ended before its answer: whether it was done is unknown
 * - `too_large`: it answered, with more than is taken
 * - `refused`: it answered with an error
 * - `invalid_answer`: it answered with something that the protocol does not know
 */
export type McpServerErrorCode =
  'unavailable' | 'unauthorized' | 'session_gone' | 'lost' | 'too_large' | 'refused' | 'invalid_answer';

export class McpServerError extends Error {
  readonly code: McpServerErrorCode;

  constructor(code: McpServerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'McpServerError';
    this.code = code;
  }
}
