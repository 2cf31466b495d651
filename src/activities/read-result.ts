import { z } from 'zod';
import { readResultName, resultText } from '../core/cut-result.ts';
import { headOf } from '../core/head-of.ts';
import { resultMessageId } from '../core/message-ids.ts';
import type { Store } from '../store/store.ts';
import { defineTool } from '../tools/define-tool.ts';
import type { Tool } from '../tools/tool.ts';

/** Characters of one page: well within what a result may show. */
const pageLength = 40_000;

/** The tool with which a model reads what was cut from an earlier result of its session. */
export function readResult(store: Pick<Store, 'calls' | 'messages'>): Tool {
  return defineTool({
    name: readResultName,
    description: 'Reads on in the result of an earlier tool call that was cut because it is long.',
    input: z.object({
      callId: z.string().describe('As the note at the cut says'),
      offset: z.int().min(0).describe('The character to begin at'),
      length: z.int().min(1).max(pageLength).optional().describe(`Default and limit: ${pageLength}`),
    }),
    readOnly: true,
    async execute({ callId, offset, length = pageLength }, { owner, sessionId }) {
      const ref = { owner, sessionId };
      const call = await store.calls.get(ref, callId);
      const message = call && (await store.messages.get(ref, resultMessageId(call.turn, call.step, callId)));
      const result = message?.content.find((block) => block.type === 'tool_result');
      if (!result) throw new Error(`there is no result of a call ${callId} in this conversation.`);
      const text = resultText(result);
      if (offset >= text.length)
        return `[The result has ${text.length} characters: there is nothing at ${offset}.]`;
      // A pair of surrogates is never parted, so that a page has room for one.
      const page = headOf(text.slice(offset), Math.max(length, 2));
      const end = offset + page.length;
      const rest = end < text.length ? `It goes on at ${end}.` : 'This is its end.';
      return `${page}\n[Characters ${offset} to ${end} of ${text.length}. ${rest}]`;
    },
  });
}
