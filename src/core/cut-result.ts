import type { Msg, ResultContent, ToolResultBlock } from '../schema/message.ts';
import { estimateTokens } from './context.ts';
import { headOf } from './head-of.ts';

/** The tool with which a model reads on in a result that was cut. */
export const readResultName = 'read_result';

const textOf = (part: ResultContent) => (part.type === 'text' ? part.text : '');

/**
 * A message as the model sees it: of a result whose text is longer than the limit only the head, with its size and the way to the rest. The
 * same for the same message at every step, so that the provider's prompt cache holds.
 *
 * @param maxTokens estimated, of one result's text.
 */
export function cutResult(msg: Msg, maxTokens: number): Msg {
  const result = msg.content.find((block) => block.type === 'tool_result');
  if (!result) return msg;
  const whole = resultText(result);
  if (estimateTokens(whole) <= maxTokens) return msg;
  const shown = headOf(whole, maxTokens * 4);
  const note = `[Cut here, after ${shown.length} of ${whole.length} characters. Read on with ${readResultName}({"callId": "${result.id}", "offset": ${shown.length}}).]`;
  const rest = result.content.filter(({ type }) => type !== 'text');
  const cut: ToolResultBlock = {
    ...result,
    content: [{ type: 'text', id: 'b0', text: `${shown}\n${note}` }, ...rest],
  };
  return { ...msg, content: [cut] };
}

/** All text of a result, as `read_result` counts its characters. */
export function resultText(result: ToolResultBlock): string {
  return result.content
    .map(textOf)
    .filter((text) => text !== '')
    .join('\n');
}
