import { describe, expect, it } from 'vitest';
import type { ModelErrorCode } from '../../src/model/model-error.ts';
import { fromAnswer, readRetryAfter, toModelError } from '../../src/model/model-errors.ts';
import type { Json } from '../../src/schema/message.ts';

const openAi = (message: string, code: Json = null): Json => ({
  error: { message, code, type: 'invalid_request_error' },
});

const answers: [status: number, body: Json, code: ModelErrorCode][] = [
  [400, openAi('bad schema'), 'invalid_request'],
  [401, openAi('bad key', 'invalid_api_key'), 'authentication'],
  [402, openAi('no credit left'), 'permission'],
  [403, openAi('not your model'), 'permission'],
  [404, openAi('no such model', 'model_not_found'), 'model_not_found'],
  [408, openAi('took too long'), 'timeout'],
  [409, openAi('conflict'), 'overloaded'],
  [413, openAi('body too large'), 'invalid_request'],
  [422, { detail: [{ msg: 'field required' }] }, 'invalid_request'],
  [425, openAi('too early'), 'overloaded'],
  [429, openAi('slow down', 'rate_limit_exceeded'), 'rate_limited'],
  [429, openAi('Request too large for the limit: reduce the length of the messages'), 'rate_limited'],
  [429, openAi('You exceeded your current quota', 'insufficient_quota'), 'permission'],
  [500, openAi('oops'), 'overloaded'],
  [503, 'upstream connect error', 'overloaded'],
  [529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'overloaded'],
  [400, openAi('See our docs', 'context_length_exceeded'), 'context_overflow'],
  [
    400,
    openAi("This model's maximum context length is 8192 tokens. However, your messages resulted in 9000"),
    'context_overflow',
  ],
  [400, openAi('Your input exceeds the context window of this model.'), 'context_overflow'],
  [
    400,
    { object: 'error', message: "This model's maximum context length is 4096 tokens", code: 400 },
    'context_overflow',
  ],
  [
    400,
    openAi('The decoder prompt (length 9000) is longer than the maximum model length of 8192'),
    'context_overflow',
  ],
  [
    400,
    openAi("This endpoint's maximum context length is 131072 tokens. However, you requested about 200000"),
    'context_overflow',
  ],
  [
    400,
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 213462 tokens > 200000 maximum' },
    },
    'context_overflow',
  ],
  [
    400,
    openAi('input length and `max_tokens` exceed context limit: 190000 + 21333 > 200000'),
    'context_overflow',
  ],
  [
    400,
    {
      error: {
        code: 400,
        type: 'exceed_context_size_error',
        message: 'the request exceeds the available context size',
      },
    },
    'context_overflow',
  ],
  [
    400,
    { error: { code: 400, message: 'Provider returned error', metadata: { raw: 'prompt is too long' } } },
    'context_overflow',
  ],
  [
    400,
    [
      {
        error: {
          code: 400,
          message: 'The input token count (9) exceeds the maximum number of tokens allowed (8).',
        },
      },
    ],
    'context_overflow',
  ],
  [400, { error: { code: 'content_filter', message: 'filtered' } }, 'content_filter'],
  [
    400,
    { error: { code: null, message: 'no', innererror: { code: 'ResponsibleAIPolicyViolation' } } },
    'content_filter',
  ],
  [
    403,
    { error: { code: 403, message: 'Input was flagged', metadata: { reasons: ['violence'] } } },
    'content_filter',
  ],
  [418, openAi('teapot'), 'invalid_request'],
];

describe('fromAnswer', () => {
  it.each(answers)('reads %s %j as %s', (status, body, code) => {
    expect(fromAnswer(status, body)).toMatchObject({ code, status });
  });

  it('keeps the provider’s words, its upstream’s too', () => {
    const body = { error: { message: 'Provider returned error', metadata: { raw: 'GPU on fire' } } };
    expect(fromAnswer(502, body).message).toContain('Provider returned error: GPU on fire');
  });

  it('obeys x-should-retry', () => {
    const said = (value: string): Headers => new Headers({ 'x-should-retry': value });
    expect(fromAnswer(503, openAi('x'), said('false')).isRetryable).toBe(false);
    expect(fromAnswer(400, openAi('x'), said('true')).isRetryable).toBe(true);
  });

  it('names the remedy where there is one', () => {
    expect(fromAnswer(401, openAi('bad key')).message).toContain('OPENAI_API_KEY');
    expect(fromAnswer(404, openAi('nope')).message).toContain('base URL');
  });
});

describe('readRetryAfter', () => {
  const now = Date.parse('2026-11-01T00:00:00Z');
  it.each([
    [{ 'retry-after': '3' }, 3_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': '3', 'retry-after-ms': '1200' }, 1_200],
    [{ 'retry-after': 'Sun, 01 Nov 2026 00:00:20 GMT' }, 20_000],
    [{ 'retry-after': 'Sat, 31 Oct 2026 00:00:00 GMT' }, 0],
    [{ 'retry-after': '-5' }, 0],
    [{ 'retry-after': '86400' }, 600_000],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('reads %j as %s ms', (headers, wait) => {
    expect(readRetryAfter(new Headers(headers as Record<string, string>), now)).toBe(wait);
  });
});

describe('toModelError', () => {
  it('keeps what it does not know as its cause, and does not retry it', () => {
    const bug = new TypeError('x is not a function');
    expect(toModelError(bug)).toMatchObject({ code: 'unknown', isRetryable: false, cause: bug });
  });
});
