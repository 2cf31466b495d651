import type OpenAI from 'openai';
import type { DataBlock } from '../schema/message.ts';
import { urlOf } from './data-url.ts';
import { executedNote, type AssistantPart, type WireItem, type WirePart } from './wire-messages.ts';

type InputItem = OpenAI.Responses.ResponseInputItem;

/** What the Responses API has a form for. */
export function isResponsesMedia({ mediaType }: DataBlock): boolean {
  return mediaType.startsWith('image/') || mediaType === 'application/pdf';
}

/** @param thinkingKey under which thinking blocks keep the reasoning items that this model gave. */
export function toResponsesInput(items: readonly WireItem[], thinkingKey: string): InputItem[] {
  return items.flatMap((item): InputItem[] => {
    if (item.kind === 'user') return [{ role: 'user', content: userContent(item.parts) }];
    if (item.kind === 'assistant') return assistantItems(item.parts, thinkingKey);
    return [{ type: 'function_call_output', call_id: item.callId, output: item.text }];
  });
}

/** A reasoning item must be followed by what it led to, else the API refuses the request: one that an interrupt cut short is left out. */
function assistantItems(parts: readonly AssistantPart[], thinkingKey: string): InputItem[] {
  const items: InputItem[] = [];
  let reasoning: InputItem[] = [];
  for (const part of parts) {
    if (part.type === 'thinking') {
      const kept = part.block.provider?.[thinkingKey];
      if (kept) reasoning.push(kept as unknown as InputItem);
      continue;
    }
    items.push(...reasoning);
    reasoning = [];
    if (part.type === 'executed') {
      const kept = part.call.provider[thinkingKey];
      items.push(kept ? (kept as unknown as InputItem) : { role: 'assistant', content: executedNote(part) });
    } else if (part.type === 'text') items.push({ role: 'assistant', content: part.text });
    else items.push({ type: 'function_call', call_id: part.id, name: part.name, arguments: part.arguments });
  }
  return items;
}

function userContent(parts: readonly WirePart[]): OpenAI.Responses.ResponseInputMessageContentList {
  return parts.map((part) =>
    part.type === 'text' ? { type: 'input_text', text: part.text } : mediaPart(part.block),
  );
}

function mediaPart(block: DataBlock): OpenAI.Responses.ResponseInputContent {
  if (block.mediaType.startsWith('image/'))
    return { type: 'input_image', detail: 'auto', image_url: urlOf(block) };
  if (block.source.type === 'url') return { type: 'input_file', file_url: block.source.url };
  return { type: 'input_file', filename: block.name ?? 'document.pdf', file_data: urlOf(block) };
}
