import type { Json } from '../../schema/message.ts';

/** How an answer looks on the wire: the oddities that real endpoints show. What is not set is what OpenAI does. */
export interface WireOptions {
  /** Characters in a fragment of text, thinking or arguments. Default 24. */
  fragment?: number;
  /** Milliseconds of waiting before each chunk. */
  delayMs?: number;
  /** Splits what is written after so many bytes: in the middle of a line, a JSON string, a UTF-8 sequence. */
  bytesPerWrite?: number;
  lineEnd?: '\n' | '\r\n';
  /** SSE comments between the chunks, as proxies send them to keep a connection alive. */
  comments?: boolean;
  /** Chat: `content` as `[{ type: 'text', text }]`. */
  contentAsArray?: boolean;
  /** Chat: the field that carries thinking. */
  reasoningField?: 'reasoning_content' | 'reasoning';
  /** Calls one after the other in fragments, all their fragments interleaved, or each whole in one chunk. */
  callStyle?: 'fragments' | 'interleaved' | 'whole';
  /** Chat: whether fragments of calls carry `index`. */
  callIndex?: 'sent' | 'omitted';
  /** Chat: which fragments of a call carry its `id`. */
  callId?: 'first' | 'repeated' | 'omitted';
  usage?: 'own_chunk' | 'with_finish' | 'omitted';
  /** Chat: the closing `[DONE]`. */
  done?: 'sent' | 'omitted';
}

export interface AnswerOptions extends WireOptions {
  /** Token counts to report. What is missing is guessed from the lengths, four characters a token. */
  tokens?: { input?: number; output?: number; cached?: number; reasoning?: number };
  /** In the words of Chat Completions: `stop`, `tool_calls`, `length`, `content_filter`. */
  finishReason?: string;
}

/** A tool call to propose. Arguments that are a string are sent as they are, broken JSON included. */
export type ScriptedCall = readonly [name: string, args: Json, id?: string];

export type AnswerPart =
  | { type: 'thinking'; text: string }
  | { type: 'text'; text: string }
  | { type: 'call'; name: string; arguments: string; id: string | undefined };

/** How a stream ends before its time: the connection is lost, the body ends as if all were said, nothing more comes, or an error is sent. */
export type Break = 'disconnect' | 'end' | 'hang' | { error: Json };

export interface Answer {
  kind: 'answer';
  parts: readonly AnswerPart[];
  options: AnswerOptions;
  cut?: { afterChunks: number; how: Break };
}

export type Step =
  | Answer
  | { kind: 'failure'; status: number; headers: Record<string, string>; body: Json }
  | { kind: 'hang'; before: 'headers' | 'firstToken' }
  | {
      kind: 'raw';
      writes: readonly (string | Uint8Array)[];
      status: number;
      headers: Record<string, string>;
    };

export interface FailureOptions {
  /** Seconds, or an HTTP date. */
  retryAfter?: number | string;
  headers?: Record<string, string>;
  /** The JSON body, or a string that is sent as plain text. Default: an error in OpenAI's form. */
  body?: Json;
}

export type HangOptions =
  { before: 'headers' | 'firstToken' } | { before: 'afterChunks'; chunks: number; step: Answer };

/** Answers with text. */
export function says(text: string, options: AnswerOptions = {}): Answer {
  return { kind: 'answer', parts: [{ type: 'text', text }], options };
}

/** Proposes one tool call, or several: `calls('search', { q })`, `calls([['search', { q }], ['read', { id }]])`. */
export function calls(name: string, args?: Json, options?: AnswerOptions & { text?: string }): Answer;
export function calls(list: readonly ScriptedCall[], options?: AnswerOptions & { text?: string }): Answer;
export function calls(
  what: string | readonly ScriptedCall[],
  second: Json | AnswerOptions = {},
  third: AnswerOptions & { text?: string } = {},
): Answer {
  const [list, settings] =
    typeof what === 'string'
      ? [[[what, second as Json] as const], third]
      : [what, second as AnswerOptions & { text?: string }];
  const { text, ...options } = settings;
  const parts: AnswerPart[] = text === undefined ? [] : [{ type: 'text', text }];
  for (const [name, args, id] of list)
    parts.push({ type: 'call', name, arguments: typeof args === 'string' ? args : JSON.stringify(args), id });
  return { kind: 'answer', parts, options };
}

/** Thinks, and then goes on with `next`; alone it is an answer that says nothing. */
export function thinks(text: string, next?: Answer): Answer {
  return {
    ...(next ?? { kind: 'answer', options: {} }),
    parts: [{ type: 'thinking', text }, ...(next?.parts ?? [])],
  };
}

/** Starts to answer and stops after so many SSE messages. Without streaming, half of the body is sent. */
export function breaksAfter(chunks: number, step: Answer, how: Break = 'disconnect'): Answer {
  return { ...step, cut: { afterChunks: chunks, how } };
}

/** Refuses the call with an HTTP status. */
export function fails(status: number, options: FailureOptions = {}): Step {
  const headers = { ...options.headers };
  if (options.retryAfter !== undefined) headers['retry-after'] = String(options.retryAfter);
  const body = options.body ?? {
    error: { message: `Scripted failure ${status}`, type: 'scripted', code: null },
  };
  return { kind: 'failure', status, headers, body };
}

/** Goes silent and keeps the connection open, until the caller gives up or the endpoint stops. */
export function hangs(options: HangOptions): Step {
  if (options.before === 'afterChunks') return breaksAfter(options.chunks, options.step, 'hang');
  return { kind: 'hang', before: options.before };
}

/** Writes exactly these bytes as the body, one write each. */
export function raw(
  writes: string | Uint8Array | readonly (string | Uint8Array)[],
  options: { status?: number; headers?: Record<string, string> } = {},
): Step {
  return {
    kind: 'raw',
    writes: typeof writes === 'string' || writes instanceof Uint8Array ? [writes] : writes,
    status: options.status ?? 200,
    headers: { 'content-type': 'text/event-stream', ...options.headers },
  };
}
