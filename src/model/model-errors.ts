import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import type { Json } from '../schema/message.ts';
import { type ErrorBody, readErrorBody } from './error-body.ts';
import { isRetryableCode, ModelError, type ModelErrorCode } from './model-error.ts';

const longestRetryAfterMs = 10 * 60_000;

/** The codes and sentences by which endpoints say that the prompt is too long. */
const overflowCodes = [
  'context_length_exceeded',
  'exceed_context_size_error',
  'model_context_window_exceeded',
];
const overflowMessages = [
  /maximum (context|prompt) length/i, // OpenAI, Azure, vLLM, OpenRouter, Mistral, xAI
  /exceeds? the (model'?s )?(available )?context (size|window|length|limit)/i, // OpenAI Responses, llama.cpp, LM Studio
  /context (length|window|limit) (was |is )?exceeded/i, // Ollama and others
  /exceed(s|ed)? (the )?context limit/i, // Anthropic: input length and `max_tokens`
  /prompt is too long/i, // Anthropic
  /input is too long for (the )?requested model/i, // Bedrock
  /input token count .* exceeds the maximum/i, // Google
  /longer than the (maximum )?model(’|')?s? (maximum |context )?length/i, // vLLM
  /reduce the length of the (messages|prompt|input)/i, // Groq, OpenAI
];

const filterCodes = ['content_filter', 'content_policy_violation', 'responsibleaipolicyviolation'];
const filterMessages = [/content management policy/i, /\bflagged\b/i, /content (filter|policy)/i];

/** The one mapping from what the SDK, the network or a stream throws to our vocabulary. The provider's own message is kept. */
export function toModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof APIConnectionError && error.cause instanceof ModelError) return error.cause;
  if (error instanceof APIConnectionTimeoutError)
    return new ModelError('timeout', `The model endpoint timed out: ${deepestMessage(error)}`, {
      cause: error,
    });
  if (error instanceof APIConnectionError)
    return new ModelError('connection', `The model endpoint could not be reached: ${deepestMessage(error)}`, {
      cause: error,
    });
  if (error instanceof APIError && typeof error.status === 'number')
    return fromAnswer(
      error.status,
      (error.error ?? error.message) as Json,
      error.headers as Headers | undefined,
      error,
    );
  return new ModelError('unknown', `The model call failed: ${deepestMessage(error)}`, { cause: error });
}

/** An HTTP answer that is no success. */
export function fromAnswer(status: number, body: Json, headers?: Headers, cause?: unknown): ModelError {
  const said = readErrorBody(body);
  const retryAfterMs = headers ? readRetryAfter(headers) : undefined;
  let code = codeOfSaid(status, said) ?? codeOfStatus(status);
  const shouldRetry = headers?.get('x-should-retry');
  if (shouldRetry === 'false' && isRetryableCode(code)) code = 'unknown';
  if (shouldRetry === 'true' && code === 'invalid_request') code = 'overloaded';
  const message = `The model endpoint answered ${status}: ${said.message || 'no message'}${remedyOf(code)}`;
  return new ModelError(code, message, {
    status,
    cause,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** An error object that came in the middle of a stream, where the HTTP status was 200 already. */
export function fromStreamedError(body: Json): ModelError {
  const said = readErrorBody(body);
  const status = /^[45]\d\d$/.test(said.code) ? Number(said.code) : undefined;
  const code = codeOfSaid(status, said) ?? (status === undefined ? 'stream_broken' : codeOfStatus(status));
  return new ModelError(
    code,
    `The model endpoint broke off its answer: ${said.message || 'no message'}`,
    status === undefined ? {} : { status },
  );
}

export function brokenStream(message: string, cause?: unknown): ModelError {
  const because = cause === undefined ? '' : `: ${deepestMessage(cause)}`;
  return new ModelError('stream_broken', message + because, { cause });
}

/** By the error's own code or words, which say more than the status. */
function codeOfSaid(
  status: number | undefined,
  { message, code, type }: ErrorBody,
): ModelErrorCode | undefined {
  const names = [code.toLowerCase(), type.toLowerCase()];
  const isNamed = (list: readonly string[]): boolean => names.some((name) => list.includes(name));
  if (isNamed(overflowCodes)) return 'context_overflow';
  // A request above a quota of tokens a minute is "too large" as well, but waiting helps.
  if (status !== 429 && overflowMessages.some((pattern) => pattern.test(message))) return 'context_overflow';
  if (isNamed(filterCodes)) return 'content_filter';
  if ((status === 400 || status === 403) && filterMessages.some((pattern) => pattern.test(message)))
    return 'content_filter';
  // Money, not haste: waiting mends nothing.
  if (isNamed(['insufficient_quota', 'billing_hard_limit_reached'])) return 'permission';
  if (isNamed(['model_not_found'])) return 'model_not_found';
  if (status !== undefined) return undefined;
  if (isNamed(['rate_limit_exceeded', 'rate_limit_error'])) return 'rate_limited';
  if (isNamed(['server_error', 'internal_error', 'api_error', 'overloaded_error', 'service_unavailable']))
    return 'overloaded';
  if (isNamed(['authentication_error', 'invalid_api_key'])) return 'authentication';
  if (names.some((name) => name.startsWith('invalid_'))) return 'invalid_request';
  return undefined;
}

function codeOfStatus(status: number): ModelErrorCode {
  switch (status) {
    case 401:
      return 'authentication';
    case 402:
    case 403:
      return 'permission';
    case 404:
      return 'model_not_found';
    case 408:
      return 'timeout';
    case 409:
    case 425:
      return 'overloaded';
    case 429:
      return 'rate_limited';
    default:
      if (status >= 500) return 'overloaded';
      return status >= 400 ? 'invalid_request' : 'unknown';
  }
}

function remedyOf(code: ModelErrorCode): string {
  if (code === 'authentication') return '. Check the API key of this provider (apiKey, or OPENAI_API_KEY)';
  if (code === 'model_not_found') return '. Check the name of the model and the base URL of its provider';
  return '';
}

/** `retry-after-ms`, or `retry-after` in seconds or as an HTTP date, held between 0 and 10 minutes. */
export function readRetryAfter(headers: Headers, now = Date.now()): number | undefined {
  const inMs = headers.get('retry-after-ms');
  const inSeconds = headers.get('retry-after');
  const wait = number(inMs) ?? times1000(number(inSeconds)) ?? untilDate(inSeconds, now);
  return wait === undefined ? undefined : Math.min(Math.max(Math.round(wait), 0), longestRetryAfterMs);
}

function number(text: string | null): number | undefined {
  if (text === null || text.trim() === '') return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

function times1000(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1_000;
}

function untilDate(text: string | null, now: number): number | undefined {
  const at = text === null ? NaN : Date.parse(text);
  return Number.isNaN(at) ? undefined : at - now;
}

/** Network errors hide what happened (`ECONNREFUSED 127.0.0.1:1`) at the bottom of their causes. */
function deepestMessage(error: unknown): string {
  let deepest = error;
  while (deepest instanceof Error && deepest.cause instanceof Error) deepest = deepest.cause;
  if (!(deepest instanceof Error)) return String(deepest);
  const code = (deepest as { code?: unknown }).code;
  return deepest.message || (typeof code === 'string' ? code : deepest.name);
}
