import type { Block } from '../schema/message.ts';

/** The text of a message, results of tools included. */
export function plainText(content: readonly Block[]): string {
  return content
    .map((block) => {
      if (block.type === 'text') return block.text;
      return block.type === 'tool_result' ? plainText(block.content) : '';
    })
    .join('');
}
