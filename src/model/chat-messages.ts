import type OpenAI from 'openai';
import type { DataBlock } from '../schema/message.ts';
import { urlOf } from './data-url.ts';
import { executedNote, type AssistantPart, type WireItem, type WirePart } from './wire-messages.ts';

/** What Chat Completions has a form for; a document must come with its bytes. */
export function isChatMedia({ mediaType, source }: DataBlock): boolean {
  if (mediaType.startsWith('image/')) return true;
  return (
    source.type === 'base64' && (mediaType === 'application/pdf' || audioFormat(mediaType) !== undefined)
  );
}

/** Thinking is not sent: this API has no place for it. */
export function toChatMessages(
  system: string,
  items: readonly WireItem[],
): OpenAI.ChatCompletionMessageParam[] {
  const messages: OpenAI.ChatCompletionMessageParam[] =
    system.trim() === '' ? [] : [{ role: 'system', content: system }];
  for (const item of items) {
    if (item.kind === 'user') messages.push({ role: 'user', content: userContent(item.parts) });
    else if (item.kind === 'assistant') messages.push(assistantMessage(item.parts));
    else messages.push({ role: 'tool', tool_call_id: item.callId, content: item.text });
  }
  return messages;
}

/** Plain text stays a string: several endpoints take no list. */
function userContent(parts: readonly WirePart[]): string | OpenAI.ChatCompletionContentPart[] {
  if (parts.some((part) => part.type === 'media'))
    return parts.map((part) => (part.type === 'text' ? part : mediaPart(part.block)));
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n\n');
}

function assistantMessage(parts: readonly AssistantPart[]): OpenAI.ChatCompletionAssistantMessageParam {
  const text = parts.flatMap((part) => {
    if (part.type === 'executed') return executedNote(part);
    return part.type === 'text' ? part.text : [];
  });
  const calls = parts.filter((part) => part.type === 'call');
  return {
    role: 'assistant',
    ...(text.length === 0 ? {} : { content: text.join('\n\n') }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map((call) => ({
            id: call.id,
            type: 'function' as const,
            function: { name: call.name, arguments: call.arguments },
          })),
        }),
  };
}

function mediaPart(block: DataBlock): OpenAI.ChatCompletionContentPart {
  const format = audioFormat(block.mediaType);
  if (format && block.source.type === 'base64')
    return { type: 'input_audio', input_audio: { data: block.source.data, format } };
  if (block.mediaType === 'application/pdf')
    return { type: 'file', file: { filename: block.name ?? 'document.pdf', file_data: urlOf(block) } };
  return { type: 'image_url', image_url: { url: urlOf(block) } };
}

function audioFormat(mediaType: string): 'wav' | 'mp3' | undefined {
  if (/^audio\/(x-)?wav$/.test(mediaType)) return 'wav';
  return /^audio\/(mpeg|mp3)$/.test(mediaType) ? 'mp3' : undefined;
}
