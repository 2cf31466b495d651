import { inputMessageId } from '../../core/message-ids.ts';
import type { Block, DataBlock, Json, Msg, ToolCallBlock, ToolResultBlock } from '../../schema/message.ts';
import { jsonOr, textOfResult } from './conversation.ts';

/** A message as `useChat` keeps them (the AI SDK's UIMessage): a user's, or all that one turn answered. */
export interface UiMessage {
  id: string;
  role: 'user' | 'assistant';
  parts: UiPart[];
}
export type UiPart = { type: string } & Record<string, Json | undefined>;

/**
 * Lays a transcript out as `useChat` would have built it from the streams.
 *
 * @param turnIdOf the id that a turn's answer has in the stream.
 */
export function toUiMessages(transcript: readonly Msg[], turnIdOf: (turn: number) => string): UiMessage[] {
  const results = new Map<string, ToolResultBlock>();
  for (const { content } of transcript)
    for (const block of content) if (block.type === 'tool_result') results.set(block.id, block);

  const messages: UiMessage[] = [];
  for (const msg of transcript) {
    if (msg.role === 'user') {
      const parts = msg.content.flatMap(userPart);
      const isInput = msg.id === inputMessageId(msg.turn);
      if (parts.length > 0 && isInput) messages.push({ id: msg.id, role: 'user', parts });
    } else if (msg.role === 'assistant') {
      const id = turnIdOf(msg.turn);
      const last = messages.at(-1);
      const answer = last?.id === id ? last : undefined;
      const parts: UiPart[] = [
        { type: 'step-start' },
        ...msg.content.flatMap((block) => assistantPart(block, results)),
      ];
      if (answer) answer.parts.push(...parts);
      else messages.push({ id, role: 'assistant', parts });
    }
  }
  return messages;
}

function userPart(block: Block): UiPart[] {
  if (block.type === 'text') return [{ type: 'text', text: block.text }];
  return block.type === 'data' ? [filePart(block)] : [];
}

function assistantPart(block: Block, results: ReadonlyMap<string, ToolResultBlock>): UiPart[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: block.text, state: 'done' }];
    case 'thinking':
      return [{ type: 'reasoning', text: block.text, state: 'done' }];
    case 'data':
      return [filePart(block)];
    case 'tool_call':
      return [toolPart(block, results.get(block.id))];
    default:
      return [];
  }
}

function toolPart(call: ToolCallBlock, result: ToolResultBlock | undefined): UiPart {
  const part = {
    type: 'dynamic-tool',
    toolName: call.name,
    toolCallId: call.id,
    input: jsonOr(call.arguments),
  };
  if (call.executed)
    return {
      ...part,
      state: 'output-available',
      output: jsonOr(call.executed.result),
      providerExecuted: true,
    };
  if (!result) return { ...part, state: 'input-available' };
  const text = textOfResult(result);
  if (result.state === 'success') return { ...part, state: 'output-available', output: jsonOr(text) };
  if (result.state === 'denied')
    return { ...part, state: 'output-denied', approval: { id: call.id, approved: false, reason: text } };
  return { ...part, state: 'output-error', errorText: text };
}

function filePart({ mediaType, source, name }: DataBlock): UiPart {
  const url = source.type === 'url' ? source.url : `data:${mediaType};base64,${source.data}`;
  return { type: 'file', mediaType, url, ...(name === undefined ? {} : { filename: name }) };
}
