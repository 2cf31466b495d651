import { z } from 'zod';

/** A JSON value: what may cross a Temporal boundary or a column of the store. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export const Json: z.ZodType<Json> = z.json();

export const TextBlock = z.object({ type: z.literal('text'), id: z.string(), text: z.string() });
export type TextBlock = z.infer<typeof TextBlock>;

/** What a reasoning model thought. `provider` is opaque data that the same provider wants back (a signature, an encrypted item). */
export const ThinkingBlock = z.object({
  type: z.literal('thinking'),
  id: z.string(),
  text: z.string(),
  provider: z.record(z.string(), Json).optional(),
});
export type ThinkingBlock = z.infer<typeof ThinkingBlock>;

export const DataSource = z.discriminatedUnion('type', [
  z.object({ type: z.literal('base64'), data: z.string() }),
  z.object({ type: z.literal('url'), url: z.string() }),
]);
export type DataSource = z.infer<typeof DataSource>;

/** Media: an image, audio or a file. `mediaType` is an IANA type such as `image/png`. */
export const DataBlock = z.object({
  type: z.literal('data'),
  id: z.string(),
  mediaType: z.string(),
  source: DataSource,
  name: z.string().optional(),
});
export type DataBlock = z.infer<typeof DataBlock>;

/**
 * A note of the runtime or of a team mate. Sent to the model as a user message, never shown as the user's words. One that came through the
 * inbox says `from` whom, and its `source` is the message's kind.
 */
export const HintBlock = z.object({
  type: z.literal('hint'),
  id: z.string(),
  text: z.string(),
  source: z.string().optional(),
  from: z.object({ name: z.string(), sessionId: z.string().optional() }).optional(),
});
export type HintBlock = z.infer<typeof HintBlock>;

/**
 * What became of a call that the provider ran by itself, such as a web search: the item as it came, by the model that it is for, and its result
 * for everybody else.
 */
export const ExecutedCall = z.object({ result: z.string(), provider: z.record(z.string(), Json) });
export type ExecutedCall = z.infer<typeof ExecutedCall>;

/**
 * One proposal by the model. `id` is our call id, unique over all sessions; `providerCallId` is what the endpoint called it.
 * `arguments` is the raw text as the model wrote it, which may be broken JSON.
 */
export const ToolCallBlock = z.object({
  type: z.literal('tool_call'),
  id: z.string(),
  name: z.string(),
  arguments: z.string(),
  providerCallId: z.string().optional(),
  /** Set when the provider ran it: nothing is left to run here. */
  executed: ExecutedCall.optional(),
});
export type ToolCallBlock = z.infer<typeof ToolCallBlock>;

export const ToolResultState = z.enum(['success', 'error', 'denied', 'interrupted']);
export type ToolResultState = z.infer<typeof ToolResultState>;

export const ResultContent = z.discriminatedUnion('type', [TextBlock, DataBlock]);
export type ResultContent = z.infer<typeof ResultContent>;

/** The one result of a tool call; `id` is the call id. */
export const ToolResultBlock = z.object({
  type: z.literal('tool_result'),
  id: z.string(),
  name: z.string(),
  state: ToolResultState,
  content: z.array(ResultContent),
});
export type ToolResultBlock = z.infer<typeof ToolResultBlock>;

export const Block = z.discriminatedUnion('type', [
  TextBlock,
  ThinkingBlock,
  DataBlock,
  HintBlock,
  ToolCallBlock,
  ToolResultBlock,
]);
export type Block = z.infer<typeof Block>;

/** Token counts of one model call, or their sum over a turn. `cachedInputTokens` and `reasoningTokens` are parts of the other two. */
export const Usage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedInputTokens: z.number(),
  reasoningTokens: z.number(),
});
export type Usage = z.infer<typeof Usage>;

/** Why one model call stopped. */
export const ModelFinishReason = z.enum([
  'stop',
  'tool_calls',
  'length',
  'content_filter',
  'interrupted',
  'unknown',
]);
export type ModelFinishReason = z.infer<typeof ModelFinishReason>;

/** Why a turn stopped, or paused. */
export const FinishReason = z.enum([
  'model_stop',
  'tool_suspended',
  'permission_asking',
  'reasoning_stop_requested',
  'acting_stop_requested',
  'max_iterations',
  'interrupted',
  'tool_return_direct',
  'structured_output',
  'budget_exceeded',
  'error',
]);
export type FinishReason = z.infer<typeof FinishReason>;

export const Role = z.enum(['user', 'assistant', 'tool']);
export type Role = z.infer<typeof Role>;

/**
 * One entry of a session's transcript. `id` is its idempotency key (`<turn>/input`, `<turn>/<step>`, `<turn>/<step>/<call id>` …);
 * `seq` its place in the session: results follow their message in the order in which the calls were declared.
 * A tool message holds exactly one `tool_result`.
 */
export const Msg = z.object({
  id: z.string(),
  seq: z.number().int(),
  turn: z.number().int(),
  step: z.number().int(),
  role: Role,
  name: z.string().optional(),
  content: z.array(Block),
  createdAt: z.string(),
  model: z.string().optional(),
  finishReason: ModelFinishReason.optional(),
  usage: Usage.optional(),
});
export type Msg = z.infer<typeof Msg>;

/** The parts of a user's input, before the transcript gives them ids. */
export const InputPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({
    type: z.literal('data'),
    mediaType: z.string().regex(/^[\w.+-]+\/[\w.+-]+$/, 'mediaType must look like image/png'),
    source: DataSource,
    name: z.string().optional(),
  }),
]);
export type InputPart = z.infer<typeof InputPart>;
