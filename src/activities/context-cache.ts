import { sessionWorkflowId } from '../contracts/ids.ts';
import { estimateTokens } from '../core/context.ts';
import { cutResult } from '../core/cut-result.ts';
import type { Msg } from '../schema/message.ts';
import type { MessageStore, SessionRecord } from '../store/store.ts';

export interface CachedMessage {
  /** As the model sees it. */
  msg: Msg;
  tokens: number;
  /** The transcript has it otherwise. */
  isChanged: boolean;
}

interface Entry {
  fromSeq: number;
  toSeq: number;
  messages: CachedMessage[];
  tokens: number;
}

/**
 * Keeps the recent contexts of a worker's sessions, so that a step reads only what is new. Safe because a transcript is append-only and,
 * when a model is called, complete up to its head. The least recently used go first when the sum passes the limit.
 */
export class ContextCache {
  readonly #entries = new Map<string, Entry>();
  readonly #maxTokens: number;
  #tokens = 0;

  /** @param maxTokens estimated tokens kept in all; a token takes about 4 to 8 bytes of memory. */
  constructor(maxTokens = 16_000_000) {
    this.#maxTokens = maxTokens;
  }

  /**
   * The messages of a session's context, in order, as the model sees them. Asks the store once at most.
   *
   * @param maxResultTokens what it sees of one result: the same for a session at all times.
   */
  async load(
    store: MessageStore,
    { ref, contextFrom: fromSeq, head: toSeq }: Pick<SessionRecord, 'ref' | 'contextFrom' | 'head'>,
    maxResultTokens: number,
  ): Promise<CachedMessage[]> {
    const key = sessionWorkflowId(ref);
    const cached = this.#entries.get(key);
    const isUsable =
      cached !== undefined &&
      cached.fromSeq <= fromSeq &&
      cached.toSeq <= toSeq &&
      fromSeq <= cached.toSeq + 1;
    const readFrom = isUsable ? cached.toSeq + 1 : fromSeq;
    const fresh = readFrom > toSeq ? [] : await store.range(ref, readFrom, toSeq);
    const kept = isUsable ? cached.messages.filter(({ msg }) => msg.seq >= fromSeq) : [];
    const messages = [
      ...kept,
      ...fresh.map((stored) => {
        const msg = cutResult(stored, maxResultTokens);
        return { msg, tokens: estimateTokens(JSON.stringify(msg.content)), isChanged: msg !== stored };
      }),
    ];
    this.#put(key, {
      fromSeq,
      toSeq,
      messages,
      tokens: messages.reduce((sum, { tokens }) => sum + tokens, 0),
    });
    return messages;
  }

  #put(key: string, entry: Entry): void {
    this.#drop(key);
    this.#entries.set(key, entry);
    this.#tokens += entry.tokens;
    for (const oldest of this.#entries.keys()) {
      if (this.#tokens <= this.#maxTokens) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#tokens -= this.#entries.get(key)?.tokens ?? 0;
    this.#entries.delete(key);
  }
}
