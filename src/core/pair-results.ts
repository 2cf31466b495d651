import type { Msg, ToolCallBlock, ToolResultBlock } from '../schema/message.ts';

/**
 * Makes a stretch of transcript fit to be sent: after each assistant message come the results of its calls, one each, in declared order.
 * A call without a result gets one that says so; a result without its call (its message fell out of the context) is left out.
 */
export function pairResults(messages: readonly Msg[]): Msg[] {
  const results = new Map<string, Msg>();
  for (const msg of messages) {
    const result = resultOf(msg);
    if (result && !results.has(result.id)) results.set(result.id, msg);
  }
  const paired: Msg[] = [];
  for (const msg of messages) {
    if (resultOf(msg)) continue;
    if (!isSendable(msg)) continue;
    paired.push(msg);
    for (const call of callsOf(msg)) {
      paired.push(results.get(call.id) ?? missingResult(msg, call));
      results.delete(call.id);
    }
  }
  return paired;
}

/** The calls of a message that are ours to run; those that the provider ran have their result already. */
export function callsOf(msg: Msg): ToolCallBlock[] {
  return msg.content.filter(
    (block): block is ToolCallBlock => block.type === 'tool_call' && block.executed === undefined,
  );
}

function resultOf(msg: Msg): ToolResultBlock | undefined {
  return msg.content.find((block) => block.type === 'tool_result');
}

/** Empty messages, and those with thinking alone, are no part of a conversation that an endpoint would accept. */
function isSendable(msg: Msg): boolean {
  return msg.content.some((block) =>
    block.type === 'text' || block.type === 'hint' ? block.text.trim() !== '' : block.type !== 'thinking',
  );
}

function missingResult(msg: Msg, call: ToolCallBlock): Msg {
  return {
    id: `${msg.id}/${call.id}`,
    seq: msg.seq,
    turn: msg.turn,
    step: msg.step,
    role: 'tool',
    createdAt: msg.createdAt,
    content: [
      {
        type: 'tool_result',
        id: call.id,
        name: call.name,
        state: 'interrupted',
        content: [{ type: 'text', id: 'b0', text: 'No result was recorded for this call.' }],
      },
    ],
  };
}
