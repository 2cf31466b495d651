import type { ModelChunk } from '../core/model-chunk.ts';
import type { Json, Msg } from '../schema/message.ts';

/** What the endpoint is told of a tool. `parameters` is a JSON Schema of type object. */
export interface ToolSpec {
  name: string;
  description: string;
  parameters: Record<string, Json>;
}

/** What the model may do with its tools in one call: as it likes (`auto`), call one at least (`required`), call this one, or none. */
export type ToolChoice = 'auto' | 'required' | 'none' | { tool: string };

/** Sampling and reasoning settings, sent only where set. */
export interface ModelSettings {
  temperature?: number;
  topP?: number;
  maxOutputTokens?: number;
  reasoningEffort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';
  parallelToolCalls?: boolean;
  /** Passed to the endpoint as it is, over all else: for what this list lacks. */
  extra?: Record<string, Json>;
}

/** Time limits in milliseconds. Without streaming an endpoint says nothing until it is done, so that only `totalMs` holds. */
export interface ModelTimeouts {
  /** Until the endpoint answers with headers. */
  connectMs: number;
  /** From the headers to the first chunk; a keep-alive comment is none. */
  firstTokenMs: number;
  /** Between two chunks. */
  idleMs: number;
  /** The whole call. */
  totalMs: number;
}

export const defaultTimeouts: ModelTimeouts = {
  connectMs: 30_000,
  firstTokenMs: 120_000,
  idleMs: 60_000,
  totalMs: 600_000,
};

export interface ModelRequest {
  /** The endpoint's own name for the model. */
  model: string;
  system: string;
  /** Paired already (core/pair-results.ts): each call is followed by its one result, in declared order. */
  messages: readonly Msg[];
  tools: readonly ToolSpec[];
  /** Default: `auto`. */
  toolChoice?: ToolChoice;
  /** Tools that the provider runs by itself, in the provider's words: `{ type: 'web_search' }`. Only the Responses API has them. */
  providerTools?: readonly Record<string, Json>[];
  settings: ModelSettings;
  isStreaming: boolean;
  timeouts: ModelTimeouts;
}

/** What a model can take, which decides how content is sent and how much of it. */
export interface ModelCapabilities {
  /** Tokens that prompt and answer share. */
  contextTokens: number;
  /** Media types taken as input, as globs: `image/*`. */
  inputMedia: readonly string[];
  /** Thinks before it answers. Decides whether its encrypted reasoning is asked for, which other models refuse. Default false. */
  isReasoning?: boolean;
}

/**
 * The port to a model endpoint, one adapter a dialect.
 *
 * **Contract:** yields chunks as they arrive, ends after exactly one `finish`. Throws `ModelError` and nothing else, an abort of `signal`
 * excepted, which surfaces as the signal's reason. It never retries by itself.
 */
export interface ModelAdapter {
  call(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelChunk>;
}

/** A model as an agent's `provider/name` resolves to it. */
export interface ResolvedModel {
  adapter: ModelAdapter;
  /** The endpoint's own name for the model. */
  model: string;
  capabilities: ModelCapabilities;
}
