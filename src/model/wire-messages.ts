import { hintText } from '../core/hint-text.ts';
import type {
  Block,
  DataBlock,
  ExecutedCall,
  Msg,
  ThinkingBlock,
  ToolCallBlock,
  ToolResultBlock,
} from '../schema/message.ts';
import type { ToolNames } from './tool-names.ts';

/** The conversation as both dialects send it; chat-messages.ts and responses-messages.ts only give it their form. */
export type WireItem =
  | { kind: 'user'; parts: WirePart[] }
  | { kind: 'assistant'; parts: AssistantPart[] }
  | { kind: 'result'; callId: string; text: string };

export type WirePart = { type: 'text'; text: string } | { type: 'media'; block: DataBlock };

export type AssistantPart =
  | { type: 'text'; text: string }
  | { type: 'thinking'; block: ThinkingBlock }
  | { type: 'call'; id: string; name: string; arguments: string }
  /** Run by the provider. */
  | { type: 'executed'; name: string; call: ExecutedCall };

export interface WireRules {
  names: ToolNames;
  /** Whether the model, and the dialect, take this as media; the rest goes as a note in text. */
  takes(block: DataBlock): boolean;
}

/**
 * Lays a conversation out so that no endpoint has reason to refuse it: results right after their calls, nothing between them; media and
 * hints that came with results after the last of them; no empty content; arguments that parse; ids that are unique.
 */
export function toWireItems(messages: readonly Msg[], rules: WireRules): WireItem[] {
  const idOf = wireIds(messages);
  const items: WireItem[] = [];
  let afterResults: WireItem[] = [];
  let media: WirePart[] = [];
  const closeBatch = (): void => {
    if (media.length > 0) items.push({ kind: 'user', parts: media });
    items.push(...afterResults);
    media = [];
    afterResults = [];
  };
  let attachments = 0;
  for (const msg of messages) {
    if (msg.role !== 'tool') closeBatch();
    if (msg.role === 'user') items.push(...userItem(msg.content, rules));
    else if (msg.role === 'assistant') {
      const parts = msg.content.flatMap((block) => assistantPart(block, idOf, rules));
      if (parts.some((part) => part.type !== 'thinking')) items.push({ kind: 'assistant', parts });
      afterResults = userItem(
        msg.content.filter((block) => block.type === 'hint'),
        rules,
      );
    } else
      for (const block of msg.content) {
        if (block.type === 'hint') afterResults.push(...userItem([block], rules));
        if (block.type !== 'tool_result') continue;
        const result = resultItem(block, attachments, rules);
        items.push({ kind: 'result', callId: idOf(block.id), text: result.text });
        attachments += result.media.length;
        media.push(...result.media.flat());
      }
  }
  closeBatch();
  return items;
}

function userItem(blocks: readonly Block[], rules: WireRules): WireItem[] {
  const parts = blocks.flatMap((block): WirePart[] => {
    if (block.type === 'text') return textPart(block.text);
    if (block.type === 'hint') return textPart(hintText(block));
    return block.type === 'data' ? [dataPart(block, rules)] : [];
  });
  return parts.length === 0 ? [] : [{ kind: 'user', parts }];
}

function assistantPart(block: Block, idOf: (callId: string) => string, rules: WireRules): AssistantPart[] {
  switch (block.type) {
    case 'text':
      return textPart(block.text);
    case 'thinking':
      return [{ type: 'thinking', block }];
    case 'data':
      // No endpoint takes media as the assistant's own words.
      return [{ type: 'text', text: `[Here you gave ${describe(block)}.]` }];
    case 'tool_call':
      if (block.executed) return [{ type: 'executed', name: block.name, call: block.executed }];
      return [
        {
          type: 'call',
          id: idOf(block.id),
          name: rules.names.toWire(block.name),
          arguments: validArguments(block.arguments),
        },
      ];
    case 'hint':
    case 'tool_result':
      return [];
  }
}

/** Media leave a note in the result and follow, numbered, after the batch. */
function resultItem(
  block: ToolResultBlock,
  attachments: number,
  rules: WireRules,
): { text: string; media: WirePart[][] } {
  const lines: string[] = [];
  const media: WirePart[][] = [];
  for (const part of block.content) {
    if (part.type === 'text') lines.push(...textPart(part.text).map(({ text }) => text));
    else if (rules.takes(part)) {
      const label = `attachment ${attachments + media.length + 1}`;
      lines.push(`[${describe(part)}: shown after the results as ${label}]`);
      media.push([
        { type: 'text', text: `[${label}, from the result of ${rules.names.toWire(block.name)}]` },
        { type: 'media', block: part },
      ]);
    } else lines.push(noteOf(part));
  }
  if (lines.length === 0)
    lines.push(block.state === 'success' ? '(no output)' : `(${block.state}, no output)`);
  return { text: lines.join('\n'), media };
}

function textPart(text: string): { type: 'text'; text: string }[] {
  return text.trim() === '' ? [] : [{ type: 'text', text: wellFormed(text) }];
}

function dataPart(block: DataBlock, rules: WireRules): WirePart {
  return rules.takes(block) ? { type: 'media', block } : { type: 'text', text: noteOf(block) };
}

/** What stands for media that can't be sent; text is simply quoted. */
function noteOf(block: DataBlock): string {
  if (block.source.type === 'url') return `[${describe(block)}: available at ${block.source.url}]`;
  if (block.mediaType.startsWith('text/'))
    return `[${describe(block)}]\n${wellFormed(Buffer.from(block.source.data, 'base64').toString('utf8'))}`;
  return `[${describe(block)}: left out, because this model does not take ${block.mediaType}]`;
}

function describe({ mediaType, name }: DataBlock): string {
  return name === undefined ? mediaType : `${mediaType} "${name}"`;
}

/** Half a surrogate pair, left by text that was cut, makes some endpoints refuse the request, and every later one that repeats it. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\uFFFD');
}

/** Arguments that the model left broken are sent as JSON that quotes them, so that it can see what it wrote. */
function validArguments(raw: string): string {
  if (raw.trim() === '') return '{}';
  try {
    const parsed: unknown = JSON.parse(raw);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return wellFormed(raw);
  } catch {
    // Quoted below, like JSON that is no object.
  }
  return JSON.stringify({ _unparsed: wellFormed(raw) });
}

/** The endpoint's own call ids where they tell the calls apart; some endpoints use one id for all. Limit of OpenAI: 64 characters. */
function wireIds(messages: readonly Msg[]): (callId: string) => string {
  const calls = messages.flatMap((msg) =>
    msg.content.filter((block): block is ToolCallBlock => block.type === 'tool_call'),
  );
  const uses = new Map<string, number>();
  for (const { providerCallId: id } of calls) if (id) uses.set(id, (uses.get(id) ?? 0) + 1);
  const ids = new Map<string, string>();
  for (const { id, providerCallId } of calls)
    if (providerCallId && providerCallId.length <= 64 && uses.get(providerCallId) === 1)
      ids.set(id, providerCallId);
  return (callId) => ids.get(callId) ?? callId;
}

/** What another model reads of a call that this one's provider ran. */
export function executedNote({ name, call }: Extract<AssistantPart, { type: 'executed' }>): string {
  return `[The provider ran ${name}: ${wellFormed(call.result)}]`;
}
