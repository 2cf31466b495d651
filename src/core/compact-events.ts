import type { EventBody } from '../schema/event.ts';

/** An event that has its id already, because it was streamed. */
export interface SentEvent {
  id: number;
  at: string;
  body: EventBody;
}

/** A streamed event as it is kept; `cuts` lets a reader resume inside a merged delta. */
export interface KeptEvent extends SentEvent {
  /** For a merged delta: pairs of an original event id and the length of the text up to its end. */
  cuts?: [id: number, end: number][];
}

type Delta = Extract<EventBody, { kind: 'text_delta' | 'thinking_delta' | 'tool_call_delta' }>;

/** A run of deltas that no event of their block or message has ended yet. */
interface OpenRun {
  messageId: string;
  blockId: string;
  body: Delta;
  fragments: string[];
  length: number;
  cuts: [id: number, end: number][];
  at: string;
}

/**
 * Merges the deltas of each block into one event with the last one's id, and keeps all else, ordered by id.
 * The result folds to the same messages, and a reader who saw only some of the deltas finds the rest by `cuts`.
 */
export function compactEvents(sent: readonly SentEvent[]): KeptEvent[] {
  const kept: KeptEvent[] = [];
  const open = new Map<string, OpenRun>();
  for (const event of sent) {
    if (isDelta(event.body)) {
      extendRun(open, event, event.body);
      continue;
    }
    for (const [key, run] of open) {
      if (!endsRun(event.body, run)) continue;
      kept.push(merged(run));
      open.delete(key);
    }
    kept.push(event);
  }
  for (const run of open.values()) kept.push(merged(run));
  return kept.toSorted((a, b) => a.id - b.id);
}

/** What of a kept event is new to a reader who has seen all up to `after`. */
export function bodyAfter(event: Pick<KeptEvent, 'body' | 'cuts'>, after: number): EventBody {
  const { body, cuts } = event;
  if (!cuts || !isDelta(body)) return body;
  const seen = cuts.findLast(([id]) => id <= after);
  return seen ? { ...body, delta: body.delta.slice(seen[1]) } : body;
}

function isDelta(body: EventBody): body is Delta {
  return body.kind === 'text_delta' || body.kind === 'thinking_delta' || body.kind === 'tool_call_delta';
}

function extendRun(open: Map<string, OpenRun>, event: SentEvent, body: Delta): void {
  const blockId = body.kind === 'tool_call_delta' ? body.callId : body.blockId;
  const key = JSON.stringify([body.kind, body.messageId, blockId]);
  const run = open.get(key);
  if (!run) {
    const cuts: [number, number][] = [[event.id, body.delta.length]];
    open.set(key, {
      messageId: body.messageId,
      blockId,
      body,
      fragments: [body.delta],
      length: body.delta.length,
      cuts,
      at: event.at,
    });
    return;
  }
  run.fragments.push(body.delta);
  run.length += body.delta.length;
  run.cuts.push([event.id, run.length]);
  run.at = event.at;
}

/**
 * An event about the block itself, or one that replaces its whole message (a new attempt, a committed result), parts the deltas before it
 * from those after. Other blocks of the message may interleave.
 */
function endsRun(body: EventBody, run: OpenRun): boolean {
  if ('message' in body && typeof body.message === 'object' && body.message.id === run.messageId) return true;
  if (!('messageId' in body) || body.messageId !== run.messageId) return false;
  if ('blockId' in body) return body.blockId === run.blockId;
  const isOfMessage = body.kind === 'model_call_start' || body.kind === 'tool_result_start';
  return isOfMessage || ('callId' in body && body.callId === run.blockId);
}

function merged(run: OpenRun): KeptEvent {
  const [id, at] = [run.cuts.at(-1)![0], run.at];
  const body = { ...run.body, delta: run.fragments.join('') };
  return run.cuts.length > 1 ? { id, at, body, cuts: run.cuts } : { id, at, body };
}
