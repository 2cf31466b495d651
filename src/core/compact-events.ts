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

/** Deltas of one block whose ids follow each other. */
interface Run {
  body: Delta;
  fragments: string[];
  cuts: [id: number, end: number][];
  at: string;
}

/**
 * Merges deltas of a block whose ids follow each other into one event with the last one's id, and keeps all else, ordered by id.
 * The result folds to the same messages, and a reader who saw only some of the deltas finds the rest by `cuts`.
 *
 * Where another event has an id in between, the deltas on both sides stay apart: a reader whose cursor is that event may have seen the
 * deltas before it, or may have come when they were merged already, and nothing tells which.
 */
export function compactEvents(sent: readonly SentEvent[]): KeptEvent[] {
  const kept: KeptEvent[] = [];
  let run: Run | undefined;
  const endRun = () => {
    if (run) kept.push(merged(run));
    run = undefined;
  };
  for (const event of sent) {
    if (!isDelta(event.body)) {
      endRun();
      kept.push(event);
      continue;
    }
    if (!run || !continues(run, event.id, event.body)) {
      endRun();
      run = { body: event.body, fragments: [], cuts: [], at: event.at };
    }
    extend(run, event, event.body.delta);
  }
  endRun();
  return kept;
}

/** A kept event as it stands in another log, where its parts have other places: in pieces, where their ids do not follow each other. */
export function renumbered(
  event: KeptEvent,
  placeOf: (id: number) => Pick<SentEvent, 'id' | 'at'>,
): KeptEvent[] {
  const { body, cuts = [] } = event;
  if (!isDelta(body) || cuts.length === 0) return [{ ...event, ...placeOf(event.id) }];
  return compactEvents(
    cuts.map(([id, end], i) => ({
      ...placeOf(id),
      body: { ...body, delta: body.delta.slice(cuts[i - 1]?.[1] ?? 0, end) },
    })),
  );
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

function continues({ body, cuts }: Run, id: number, next: Delta): boolean {
  const isNext = cuts.at(-1)?.[0] === id - 1;
  return (
    isNext && body.kind === next.kind && body.messageId === next.messageId && blockOf(body) === blockOf(next)
  );
}

function blockOf(body: Delta): string {
  return body.kind === 'tool_call_delta' ? body.callId : body.blockId;
}

function extend(run: Run, { id, at }: SentEvent, delta: string): void {
  run.fragments.push(delta);
  run.cuts.push([id, (run.cuts.at(-1)?.[1] ?? 0) + delta.length]);
  run.at = at;
}

function merged({ body, fragments, cuts, at }: Run): KeptEvent {
  const event = { id: cuts.at(-1)![0], at, body: { ...body, delta: fragments.join('') } };
  return cuts.length > 1 ? { ...event, cuts } : event;
}
