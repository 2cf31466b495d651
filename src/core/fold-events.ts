import type { AgentEvent, EventBody } from '../schema/event.ts';
import type { Block, Msg } from '../schema/message.ts';
import { turnNumber } from './message-ids.ts';

type Stamped = EventBody & Pick<AgentEvent, 'turnId' | 'at' | 'path'>;

/** The messages seen so far, by id, in the order in which they began. Messages are replaced, never mutated. */
export type Folded = ReadonlyMap<string, Msg>;

/**
 * Rebuilds the messages that a stream of events tells of, exactly as the transcript stores them.
 * Deltas of a superseded attempt, or of one that was still open when its turn ended, leave no trace; events that belong to no known message
 * are ignored, and so are those of sessions below: they tell of another transcript.
 */
export function foldEvents(events: Iterable<Stamped>): Msg[] {
  const folded = new Map<string, Msg>();
  for (const event of events) apply(folded, event);
  return [...folded.values()].toSorted((a, b) => a.seq - b.seq);
}

/** One step of `foldEvents`, for observers that render while they listen. */
export function foldEvent(folded: Folded, event: Stamped): Folded {
  return foldMore(folded, [event]);
}

/** Several steps at once: for observers that catch up. */
export function foldMore(folded: Folded, events: Iterable<Stamped>): Folded {
  const next = new Map(folded);
  for (const event of events) apply(next, event);
  return next;
}

function apply(folded: Map<string, Msg>, event: Stamped): void {
  if (event.path) return;
  switch (event.kind) {
    case 'input':
    case 'hint':
    case 'tool_result_end':
      put(folded, event.message);
      return;
    case 'model_call_start':
      put(folded, {
        id: event.messageId,
        seq: event.seq,
        turn: turnNumber(event.turnId),
        step: event.step,
        role: 'assistant',
        content: [],
        createdAt: event.createdAt,
        model: event.model,
      });
      return;
    case 'turn_end':
      // What was streamed and never committed is no part of the transcript: its worker died, or its last attempt failed.
      for (const msg of folded.values())
        if (isOpen(msg) && msg.turn === turnNumber(event.turnId)) folded.delete(msg.id);
      return;
    case 'model_call_end':
      change(folded, event.messageId, (msg) => ({
        ...msg,
        finishReason: event.finishReason,
        usage: event.usage,
      }));
      return;
    case 'tool_result_start':
      put(folded, {
        id: event.messageId,
        seq: event.seq,
        turn: turnNumber(event.turnId),
        step: event.step,
        role: 'tool',
        content: [],
        createdAt: event.at,
      });
      return;
    case 'text_start':
      open(folded, event.messageId, { type: 'text', id: event.blockId, text: '' });
      return;
    case 'thinking_start':
      open(folded, event.messageId, { type: 'thinking', id: event.blockId, text: '' });
      return;
    case 'tool_call_start':
      open(folded, event.messageId, {
        type: 'tool_call',
        id: event.callId,
        name: event.name,
        arguments: '',
        ...(event.providerCallId === undefined ? {} : { providerCallId: event.providerCallId }),
      });
      return;
    case 'data_start':
      open(folded, event.messageId, {
        type: 'data',
        id: event.blockId,
        mediaType: event.mediaType,
        source: { type: 'base64', data: '' },
        ...(event.name === undefined ? {} : { name: event.name }),
      });
      return;
    case 'text_delta':
      edit(folded, event.messageId, event.blockId, (block) =>
        block.type === 'text' ? { ...block, text: block.text + event.delta } : block,
      );
      return;
    case 'thinking_delta':
      edit(folded, event.messageId, event.blockId, (block) =>
        block.type === 'thinking' ? { ...block, text: block.text + event.delta } : block,
      );
      return;
    case 'thinking_end':
      edit(folded, event.messageId, event.blockId, (block) =>
        block.type === 'thinking' && event.provider ? { ...block, provider: event.provider } : block,
      );
      return;
    case 'tool_call_delta':
      edit(folded, event.messageId, event.callId, (block) =>
        block.type === 'tool_call' ? { ...block, arguments: block.arguments + event.delta } : block,
      );
      return;
    case 'tool_call_end':
      edit(folded, event.messageId, event.callId, (block) =>
        block.type === 'tool_call' && event.executed ? { ...block, executed: event.executed } : block,
      );
      return;
    case 'data_delta':
      edit(folded, event.messageId, event.blockId, (block) =>
        block.type === 'data' ? { ...block, source: event.source } : block,
      );
      return;
    default:
  }
}

function isOpen(msg: Msg): boolean {
  return msg.role === 'assistant' && msg.finishReason === undefined;
}

function put(folded: Map<string, Msg>, msg: Msg): void {
  folded.set(msg.id, msg);
}

function change(folded: Map<string, Msg>, id: string, update: (msg: Msg) => Msg): void {
  const msg = folded.get(id);
  if (msg) folded.set(id, update(msg));
}

function open(folded: Map<string, Msg>, id: string, block: Block): void {
  change(folded, id, (msg) => ({ ...msg, content: [...msg.content, block] }));
}

function edit(folded: Map<string, Msg>, id: string, blockId: string, update: (block: Block) => Block): void {
  change(folded, id, (msg) => ({
    ...msg,
    content: msg.content.map((block) => (block.id === blockId ? update(block) : block)),
  }));
}
