import type { CallToolResult, ContentBlock, ReadResourceResult } from '@modelcontextprotocol/sdk/types.js';
import { media, text } from '../tools/tool-parts.ts';
import type { ToolParts } from '../tools/tool.ts';

type Contents = ReadResourceResult['contents'][number];

/** What a server sent, as the parts of a result. `clean` takes secrets out of text. */
export function toToolParts(
  content: readonly ContentBlock[],
  structured: CallToolResult['structuredContent'],
  clean: (text: string) => string,
): ToolParts[] {
  const parts = content.map((block) => blockToPart(block, clean));
  // Servers put the JSON of what is structured into a text as well, for clients that know text only.
  if (structured !== undefined && !content.some(({ type }) => type === 'text'))
    parts.push(text(clean(JSON.stringify(structured))));
  return parts;
}

/** The text of what a server sent, for an error. */
export function textOf(content: readonly ContentBlock[], clean: (text: string) => string): string {
  return content
    .map((block) => (block.type === 'text' ? clean(block.text) : `[${block.type}]`))
    .join('\n')
    .trim();
}

export function contentsToPart(contents: Contents, clean: (text: string) => string): ToolParts {
  const { uri, mimeType = 'application/octet-stream' } = contents;
  if ('text' in contents) return text(`${clean(uri)}:\n${clean(contents.text)}`);
  return mediaOr(mimeType, contents.blob, nameOf(uri));
}

function blockToPart(block: ContentBlock, clean: (text: string) => string): ToolParts {
  switch (block.type) {
    case 'text':
      return text(clean(block.text));
    case 'image':
    case 'audio':
      return mediaOr(block.mimeType, block.data);
    case 'resource_link': {
      const { uri, name, description, mimeType } = block;
      const about = [mimeType, description].filter((part) => part !== undefined).join('; ');
      return text(clean(`[Resource ${name}: ${uri}${about === '' ? '' : ` (${about})`}]`));
    }
    case 'resource':
      return contentsToPart(block.resource, clean);
    default:
      return text(`[Left out: content of the unknown kind ${String((block as { type: unknown }).type)}]`);
  }
}

function mediaOr(mediaType: string, data: string, name?: string): ToolParts {
  try {
    // Parameters such as `; charset=…` are no part of what endpoints take.
    const [essence = ''] = mediaType.split(';');
    return media({ mediaType: essence.trim(), data, ...(name === undefined ? {} : { name }) });
  } catch {
    return text(`[Left out: ${mediaType.slice(0, 100)} that is not encoded as the protocol says]`);
  }
}

function nameOf(uri: string): string {
  return uri.slice(uri.lastIndexOf('/') + 1) || uri;
}
