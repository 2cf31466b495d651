import type { EventBody } from '../schema/event.ts';
import type { ExecutedCall, ModelFinishReason, Usage } from '../schema/message.ts';
import { assertNever } from './assert-never.ts';
import type { ModelChunk } from './model-chunk.ts';
import { noUsage } from './usage.ts';

type OpenBlock = {
  type: 'text' | 'thinking' | 'data' | 'tool_call';
  id: string;
  provider?: Extract<ModelChunk, { kind: 'thinking' }>['provider'];
  executed?: ExecutedCall;
};

/**
 * Turns the chunks of one model call into event bodies, block by block.
 *
 * A tool call opens with the first chunk that names it; fragments that came before its name are kept and follow it. Blocks close when
 * the call ends, because endpoints interleave them.
 */
export class StreamAccumulator {
  readonly #messageId: string;
  readonly #newCallId: () => string;
  readonly #open = new Map<string, OpenBlock>();
  readonly #unnamed = new Map<string, { providerCallId?: string; fragments: string }>();
  #blocks = 0;
  #usage: Usage = noUsage;
  #finishReason: ModelFinishReason = 'unknown';

  /** @param newCallId makes an id that no other call of any session has. */
  constructor(messageId: string, newCallId: () => string) {
    this.#messageId = messageId;
    this.#newCallId = newCallId;
  }

  /** True once an observer has seen a piece of the answer. */
  get isVisible(): boolean {
    return this.#blocks > 0;
  }

  push(chunk: ModelChunk): EventBody[] {
    switch (chunk.kind) {
      case 'text':
      case 'thinking':
        return this.#prose(chunk);
      case 'tool_call':
        return this.#toolCall(chunk);
      case 'data':
        return this.#data(chunk);
      case 'usage':
        this.#usage = chunk.usage;
        return [];
      case 'finish':
        this.#finishReason = chunk.reason;
        return [];
      default:
        return assertNever(chunk);
    }
  }

  /** Closes every open block. Calls that never got a name are dropped: there is nothing to run or to answer. */
  end(reason: ModelFinishReason = this.#finishReason): EventBody[] {
    const messageId = this.#messageId;
    const events: EventBody[] = [];
    for (const block of this.#open.values()) {
      if (block.type === 'tool_call')
        events.push({
          kind: 'tool_call_end',
          messageId,
          callId: block.id,
          ...(block.executed ? { executed: block.executed } : {}),
        });
      else if (block.type === 'thinking')
        events.push({
          kind: 'thinking_end',
          messageId,
          blockId: block.id,
          ...(block.provider ? { provider: block.provider } : {}),
        });
      else events.push({ kind: `${block.type}_end`, messageId, blockId: block.id });
    }
    this.#open.clear();
    events.push({ kind: 'model_call_end', messageId, usage: this.#usage, finishReason: reason });
    return events;
  }

  #prose(chunk: Extract<ModelChunk, { kind: 'text' | 'thinking' }>): EventBody[] {
    const key = `${chunk.kind}:${chunk.key}`;
    const messageId = this.#messageId;
    const events: EventBody[] = [];
    let block = this.#open.get(key);
    const provider = chunk.kind === 'thinking' ? chunk.provider : undefined;
    if (!block) {
      if (chunk.delta === '' && !provider) return [];
      block = { type: chunk.kind, id: this.#nextBlockId() };
      this.#open.set(key, block);
      events.push({ kind: `${chunk.kind}_start`, messageId, blockId: block.id });
    }
    if (provider) block.provider = { ...block.provider, ...provider };
    if (chunk.delta !== '')
      events.push({ kind: `${chunk.kind}_delta`, messageId, blockId: block.id, delta: chunk.delta });
    return events;
  }

  #toolCall(chunk: Extract<ModelChunk, { kind: 'tool_call' }>): EventBody[] {
    const key = `call:${chunk.key}`;
    const messageId = this.#messageId;
    const delta = chunk.argumentsDelta ?? '';
    const known = this.#open.get(key);
    if (known && chunk.executed) known.executed = chunk.executed;
    if (known) return delta === '' ? [] : [{ kind: 'tool_call_delta', messageId, callId: known.id, delta }];

    const early = this.#unnamed.get(key) ?? { fragments: '' };
    const providerCallId = chunk.providerCallId ?? early.providerCallId;
    const fragments = early.fragments + delta;
    if (!chunk.name) {
      this.#unnamed.set(key, { fragments, ...(providerCallId === undefined ? {} : { providerCallId }) });
      return [];
    }
    this.#unnamed.delete(key);
    this.#blocks += 1;
    const callId = this.#newCallId();
    this.#open.set(key, {
      type: 'tool_call',
      id: callId,
      ...(chunk.executed ? { executed: chunk.executed } : {}),
    });
    const start: EventBody = {
      kind: 'tool_call_start',
      messageId,
      callId,
      name: chunk.name,
      ...(providerCallId === undefined ? {} : { providerCallId }),
    };
    return fragments === ''
      ? [start]
      : [start, { kind: 'tool_call_delta', messageId, callId, delta: fragments }];
  }

  #data(chunk: Extract<ModelChunk, { kind: 'data' }>): EventBody[] {
    const key = `data:${chunk.key}`;
    const messageId = this.#messageId;
    const events: EventBody[] = [];
    let block = this.#open.get(key);
    if (!block) {
      block = { type: 'data', id: this.#nextBlockId() };
      this.#open.set(key, block);
      events.push({
        kind: 'data_start',
        messageId,
        blockId: block.id,
        mediaType: chunk.mediaType,
        ...(chunk.name === undefined ? {} : { name: chunk.name }),
      });
    }
    events.push({ kind: 'data_delta', messageId, blockId: block.id, source: chunk.source });
    return events;
  }

  #nextBlockId(): string {
    const id = `b${this.#blocks}`;
    this.#blocks += 1;
    return id;
  }
}
