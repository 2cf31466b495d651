import type { DataSource, ExecutedCall, Json, ModelFinishReason, Usage } from '../schema/message.ts';

/**
 * What a model adapter yields, whatever the endpoint's dialect. `key` tells which block a piece belongs to: adapters choose it
 * (an index, an id); pieces of several blocks may interleave.
 */
export type ModelChunk =
  | { kind: 'text'; key: string; delta: string }
  | { kind: 'thinking'; key: string; delta: string; provider?: Record<string, Json> }
  | {
      kind: 'tool_call';
      key: string;
      providerCallId?: string;
      name?: string;
      argumentsDelta?: string;
      executed?: ExecutedCall;
    }
  | { kind: 'data'; key: string; mediaType: string; source: DataSource; name?: string }
  | { kind: 'usage'; usage: Usage }
  | { kind: 'finish'; reason: ModelFinishReason };
