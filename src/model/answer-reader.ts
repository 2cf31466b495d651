import type { ModelChunk } from '../core/model-chunk.ts';
import type { JsonObject } from './json.ts';

/** Understands one answer in one dialect, as it comes. Throws `ModelError` where the endpoint tells of a failure. */
export interface AnswerReader {
  /** A message of the stream. */
  streamed(message: JsonObject): ModelChunk[];
  /** The whole answer, of an endpoint that does not stream. */
  whole(body: JsonObject): ModelChunk[];
  /** The stream said `[DONE]`. */
  done(): void;
  /** The endpoint has said why it stopped: whatever happens to the connection now, the answer is all there. */
  readonly isComplete: boolean;
  /** Usage and the finish reason, once. */
  end(): ModelChunk[];
}
