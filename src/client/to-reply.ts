import type { Block } from '../schema/message.ts';
import type { Reply, TurnDetails } from './client.ts';

/** Of a turn that has paused or ended. */
export function toReply<Output>(details: TurnDetails<Output>): Reply<Output> {
  const { turnId, finishReason = 'error', content = [], usage, pending, error } = details;
  return {
    turnId,
    finishReason,
    content,
    text: textOf(content),
    ...('output' in details ? { output: details.output } : {}),
    usage,
    pending,
    ...(error ? { error } : {}),
  };
}

function textOf(content: readonly Block[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}
