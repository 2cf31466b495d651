export type ModelErrorCode =
  | 'rate_limited'
  | 'overloaded'
  | 'timeout'
  | 'connection'
  | 'stream_broken'
  | 'authentication'
  | 'permission'
  | 'model_not_found'
  | 'invalid_request'
  | 'context_overflow'
  | 'content_filter'
  | 'unknown';

const retryableCodes: ReadonlySet<ModelErrorCode> = new Set([
  'rate_limited',
  'overloaded',
  'timeout',
  'connection',
  'stream_broken',
]);

export function isRetryableCode(code: ModelErrorCode): boolean {
  return retryableCodes.has(code);
}

/** What went wrong with a model call, in one vocabulary for all endpoints. */
export class ModelError extends Error {
  readonly code: ModelErrorCode;
  /** HTTP status, where there was an answer. */
  readonly status: number | undefined;
  /** How long the endpoint asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ModelErrorCode,
    message: string,
    details: { status?: number; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'ModelError';
    this.code = code;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
  }

  get isRetryable(): boolean {
    return isRetryableCode(this.code);
  }
}
