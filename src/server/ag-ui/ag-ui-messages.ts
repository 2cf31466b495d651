import type { Block, DataBlock, Json, Msg, ResultContent, ToolCallBlock } from '../../schema/message.ts';
import { resultOf } from '../chat/conversation.ts';

/** A message as AG-UI 1.0 has them (docs.ag-ui.com/spec/1.0). Which fields there are depends on the role. */
export interface AgUiMessage {
  id: string;
  role: 'user' | 'assistant' | 'reasoning' | 'tool';
  content?: Json;
  toolCalls?: AgUiToolCall[];
  toolCallId?: string;
  metadata?: Json;
}
export interface AgUiToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/**
 * Lays a transcript out as a client would have built it from the events.
 *
 * @param idOf the id of a user's message: the client's own.
 */
export function toAgUiMessages(transcript: readonly Msg[], idOf: (msg: Msg) => string): AgUiMessage[] {
  return transcript.flatMap((msg) => {
    switch (msg.role) {
      case 'user':
        return userMessage(msg, idOf(msg));
      case 'assistant':
        return assistantMessages(msg);
      case 'tool':
        return toolMessage(msg);
    }
  });
}

export function reasoningId(messageId: string, blockId: string): string {
  return `${messageId}/${blockId}`;
}

/** Of the result of a call that the provider ran: it is no message of ours. */
export function executedResultId(callId: string): string {
  return `${callId}/result`;
}

/** As a text, or in parts where there is more than text. */
export function toContent(blocks: readonly ResultContent[]): Json {
  if (blocks.every((block) => block.type === 'text')) return blocks.map(({ text }) => text).join('\n');
  return blocks.map((block) =>
    block.type === 'text' ? { type: 'text', text: block.text } : mediaPart(block),
  );
}

/** What the protocol has no word for: a result that is no success. */
export function resultMetadata(state: string): { metadata?: Json } {
  return state === 'success' ? {} : { metadata: { durascope: { state } } };
}

function userMessage(msg: Msg, id: string): AgUiMessage[] {
  const said = msg.content.filter((block) => block.type === 'text' || block.type === 'data');
  return said.length === 0 ? [] : [{ id, role: 'user', content: toContent(said) }];
}

function assistantMessages({ id, content }: Msg): AgUiMessage[] {
  const messages: AgUiMessage[] = [];
  const results: AgUiMessage[] = [];
  let answer: AgUiMessage | undefined;
  const answering = (): AgUiMessage => {
    if (!answer) messages.push((answer = { id, role: 'assistant' }));
    return answer;
  };
  for (const block of content) {
    const reasoning = reasoningMessage(id, block);
    if (reasoning) messages.push(reasoning);
    else if (block.type === 'text' && block.text !== '')
      answering().content = `${textOf(answer)}${block.text}`;
    else if (block.type === 'tool_call') {
      (answering().toolCalls ??= []).push(toToolCall(block));
      if (block.executed) results.push(executedResult(block.id, block.executed.result));
    }
  }
  return [...messages, ...results];
}

function textOf(message: AgUiMessage | undefined): string {
  return typeof message?.content === 'string' ? message.content : '';
}

/** Thinking that is a provider's opaque data and no text is nothing to show. */
function reasoningMessage(messageId: string, block: Block): AgUiMessage | undefined {
  if (block.type !== 'thinking' || block.text === '') return undefined;
  return { id: reasoningId(messageId, block.id), role: 'reasoning', content: block.text };
}

function toToolCall(call: ToolCallBlock): AgUiToolCall {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } };
}

function executedResult(callId: string, content: string): AgUiMessage {
  return { id: executedResultId(callId), role: 'tool', toolCallId: callId, content };
}

function toolMessage(msg: Msg): AgUiMessage[] {
  const result = resultOf(msg);
  if (!result) return [];
  const { id: toolCallId, content, state } = result;
  return [{ id: msg.id, role: 'tool', toolCallId, content: toContent(content), ...resultMetadata(state) }];
}

function mediaPart({ mediaType, source, name }: DataBlock): Json {
  const kind = /^(image|audio|video)\//.exec(mediaType)?.[1] ?? 'document';
  const value = source.type === 'url' ? source.url : source.data;
  return {
    type: kind,
    source: { type: source.type === 'url' ? 'url' : 'data', value, mimeType: mediaType },
    ...(name === undefined ? {} : { metadata: { name } }),
  };
}
