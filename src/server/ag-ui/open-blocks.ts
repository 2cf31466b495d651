import type { AgUiEvent } from './ag-ui-event.ts';

/**
 * What is open of a message that is being streamed: whatever was begun ends, and nothing ends twice. Text of several blocks of a message is
 * one text.
 */
export class OpenBlocks {
  /** Blocks by the message whose text they are. */
  readonly #texts = new Map<string, Set<string>>();
  readonly #reasoning = new Set<string>();
  readonly #calls = new Set<string>();

  /** Opens it with the first piece, as reasoning: a text that stays empty is none. */
  text(messageId: string, blockId: string, delta: string): AgUiEvent[] {
    const content = { type: 'TEXT_MESSAGE_CONTENT', messageId, delta };
    const blocks = this.#texts.get(messageId);
    if (blocks) {
      blocks.add(blockId);
      return [content];
    }
    this.#texts.set(messageId, new Set([blockId]));
    return [{ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' }, content];
  }

  closeText(messageId: string, blockId: string): AgUiEvent[] {
    const blocks = this.#texts.get(messageId);
    if (!blocks?.delete(blockId) || blocks.size > 0) return [];
    this.#texts.delete(messageId);
    return [{ type: 'TEXT_MESSAGE_END', messageId }];
  }

  reasoning(messageId: string, delta: string): AgUiEvent[] {
    const content = { type: 'REASONING_MESSAGE_CONTENT', messageId, delta };
    if (this.#reasoning.has(messageId)) return [content];
    this.#reasoning.add(messageId);
    return [
      { type: 'REASONING_START', messageId },
      { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
      content,
    ];
  }

  closeReasoning(messageId: string): AgUiEvent[] {
    if (!this.#reasoning.delete(messageId)) return [];
    return [
      { type: 'REASONING_MESSAGE_END', messageId },
      { type: 'REASONING_END', messageId },
    ];
  }

  openCall(toolCallId: string, toolCallName: string, parentMessageId: string): AgUiEvent[] {
    if (this.#calls.has(toolCallId)) return [];
    this.#calls.add(toolCallId);
    return [{ type: 'TOOL_CALL_START', toolCallId, toolCallName, parentMessageId }];
  }

  arguments(toolCallId: string, delta: string): AgUiEvent[] {
    return this.#calls.has(toolCallId) ? [{ type: 'TOOL_CALL_ARGS', toolCallId, delta }] : [];
  }

  closeCall(toolCallId: string): AgUiEvent[] {
    return this.#calls.delete(toolCallId) ? [{ type: 'TOOL_CALL_END', toolCallId }] : [];
  }

  closeAll(): AgUiEvent[] {
    const texts = [...this.#texts.keys()].map((messageId) => ({ type: 'TEXT_MESSAGE_END', messageId }));
    this.#texts.clear();
    return [
      ...texts,
      ...[...this.#reasoning].flatMap((id) => this.closeReasoning(id)),
      ...[...this.#calls].flatMap((id) => this.closeCall(id)),
    ];
  }
}
