import type { AgentEvent, EventBody } from '../schema/event.ts';
import type { Block, Msg } from '../schema/message.ts';

type Stamped = EventBody & Pick<AgentEvent, 'turnId' | 'at'>;

/** The messages seen so far, by id, in the order in which they began. Values are replaced, never mutated. */
export type Folded = ReadonlyMap<string, Msg>;

/**
 * Rebuilds the messages that a stream of events tells of, exactly as the transcript stores them.
 * Deltas of a superseded attempt leave no trace; events that belong to no known message are ignored.
 */
export function foldEvents(events: Iterable<Stamped>): Msg[] {
  let folded: Folded = new Map();
  for (const event of events) folded = foldEvent(folded, event);
  return [...folded.values()].sort((a, b) => a.seq - b.seq);
}

/** One step of `foldEvents`, for observers that render while they listen. Returns its argument when nothing changed. */
export function foldEvent(folded: Folded, event: Stamped): Folded {
  switch (event.kind) {
    case 'input':
    case 'hint':
    case 'tool_result_end':
      return put(folded, event.message);
    case 'model_call_start':
      return put(folded, {
        id: event.messageId,
        seq: event.seq,
        turn: turnNumber(event.turnId),
        step: event.step,
        role: 'assistant',
        content: [],
        createdAt: event.at,
        model: event.model,
      });
    case 'model_call_end':
      return change(folded, event.messageId, (msg) => ({
        ...msg,
        finishReason: event.finishReason,
        usage: event.usage,
      }));
    case 'tool_result_start':
      return put(folded, {
        id: event.messageId,
        seq: event.seq,
        turn: turnNumber(event.turnId),
        step: event.step,
        role: 'tool',
        content: [],
        createdAt: event.at,
      });
    case 'text_start':
      return open(folded, event.messageId, { type: 'text', id: event.blockId, text: '' });
    case 'thinking_start':
      return open(folded, event.messageId, { type: 'thinking', id: event.blockId, text: '' });
    case 'tool_call_start':
      return open(folded, event.messageId, {
        type: 'tool_call',
        id: event.callId,
        name: event.name,
        arguments: '',
        ...(event.providerCallId === undefined ? {} : { providerCallId: event.providerCallId }),
      });
    case 'data_start':
      return open(folded, event.messageId, {
        type: 'data',
        id: event.blockId,
        mediaType: event.mediaType,
        source: { type: 'base64', data: '' },
        ...(event.name === undefined ? {} : { name: event.name }),
      });
    case 'text_delta':
      return edit(folded, event.messageId, event.blockId, (block) =>
        block.type === 'text' ? { ...block, text: block.text + event.delta } : block,
      );
    case 'thinking_delta':
      return edit(folded, event.messageId, event.blockId, (block) =>
        block.type === 'thinking' ? { ...block, text: block.text + event.delta } : block,
      );
    case 'thinking_end':
      return edit(folded, event.messageId, event.blockId, (block) =>
        block.type === 'thinking' && event.provider ? { ...block, provider: event.provider } : block,
      );
    case 'tool_call_delta':
      return edit(folded, event.messageId, event.callId, (block) =>
        block.type === 'tool_call' ? { ...block, arguments: block.arguments + event.delta } : block,
      );
    case 'data_delta':
      return edit(folded, event.messageId, event.blockId, (block) =>
        block.type === 'data' ? { ...block, source: event.source } : block,
      );
    default:
      return folded;
  }
}

/** `turn/<owner>/<session>/<n>` → n. */
function turnNumber(turnId: string): number {
  return Number(turnId.slice(turnId.lastIndexOf('/') + 1));
}

function put(folded: Folded, msg: Msg): Folded {
  return new Map(folded).set(msg.id, msg);
}

function change(folded: Folded, id: string, update: (msg: Msg) => Msg): Folded {
  const msg = folded.get(id);
  return msg ? put(folded, update(msg)) : folded;
}

function open(folded: Folded, id: string, block: Block): Folded {
  return change(folded, id, (msg) => ({ ...msg, content: [...msg.content, block] }));
}

function edit(folded: Folded, id: string, blockId: string, update: (block: Block) => Block): Folded {
  return change(folded, id, (msg) => ({
    ...msg,
    content: msg.content.map((block) => (block.id === blockId ? update(block) : block)),
  }));
}
