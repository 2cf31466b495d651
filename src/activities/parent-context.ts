import type { SessionRef } from '../contracts/ids.ts';
import { escapeMarkup } from '../core/hint-text.ts';
import type { InputPart, Msg } from '../schema/message.ts';
import type { CallRecord } from '../store/call-store.ts';
import type { Store } from '../store/store.ts';
import type { SubagentContext } from '../tools/subagent.ts';

/** Characters of one message, and of all together: it is meant to help, not to fill the context of the subagent. */
const longestMessage = 8_000;
const longestContext = 64_000;
/** Messages without text (calls, their results) are passed over: so far back is looked. */
const lookBack = 10;

/** The last words between the caller and its user, for a subagent that is to know them. */
export async function parentContext(
  store: Store,
  ref: SessionRef,
  { seq }: Pick<CallRecord, 'seq'>,
  context: SubagentContext,
): Promise<InputPart[]> {
  if (context === 'fresh') return [];
  const { lastMessages } = context;
  const messages = await store.messages.range(ref, Math.max(1, seq - lastMessages * lookBack), seq - 1);
  const lines: string[] = [];
  let length = 0;
  for (const message of messages.toReversed()) {
    const text = textOf(message).slice(0, longestMessage);
    length += text.length;
    if (lines.length === lastMessages || length > longestContext) break;
    if (text !== '') lines.unshift(`<message from="${message.role}">${escapeMarkup(text)}</message>`);
  }
  if (lines.length === 0) return [];
  const text = `<conversation>\nThe last messages of the conversation in which you were called:\n${lines.join('\n')}\n</conversation>`;
  return [{ type: 'text', text }];
}

function textOf(message: Msg): string {
  if (message.role === 'tool') return '';
  return message.content
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('\n')
    .trim();
}
