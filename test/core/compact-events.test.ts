import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bodyAfter, compactEvents, renumbered } from '../../src/core/compact-events.ts';
import type { KeptEvent, SentEvent } from '../../src/core/compact-events.ts';
import { foldEvents } from '../../src/core/fold-events.ts';
import type { EventBody } from '../../src/schema/event.ts';

const at = (id: number): string => new Date(id * 1_000).toISOString();
const sent = (bodies: EventBody[]): SentEvent[] =>
  bodies.map((body, i) => ({ id: i + 1, at: at(i + 1), body }));

const m = { messageId: '1/1' };
const callStart = (messageId: string, attempt: number): EventBody => ({
  kind: 'model_call_start',
  messageId,
  seq: 1,
  step: 1,
  attempt,
  model: 'test/model',
  createdAt: at(0),
});
const text = (delta: string, blockId = 'b0'): EventBody => ({ kind: 'text_delta', ...m, blockId, delta });

describe('compactEvents', () => {
  it('merges the deltas of a block into one, under the id and time of the last', () => {
    const kept = compactEvents(sent([{ kind: 'text_start', ...m, blockId: 'b0' }, text('Hel'), text('lo')]));
    expect(kept).toEqual([
      { id: 1, at: at(1), body: { kind: 'text_start', ...m, blockId: 'b0' } },
      {
        id: 3,
        at: at(3),
        body: text('Hello'),
        cuts: [
          [2, 3],
          [3, 5],
        ],
      },
    ]);
  });

  it('does not merge across another event: a reader may stop there, and come again', () => {
    const call = (delta: string): EventBody => ({ kind: 'tool_call_delta', ...m, callId: 'c1', delta });
    const kept = compactEvents(
      sent([text('a'), text('b'), call('{'), text('c'), text('x', 'b1'), call('}')]),
    );
    expect(kept.map(({ id, body }) => [id, 'delta' in body && body.delta])).toEqual([
      [2, 'ab'],
      [3, '{'],
      [4, 'c'],
      [5, 'x'],
      [6, '}'],
    ]);
    const gap = sent([text('a'), text('b')]).map((event) => ({ ...event, id: event.id * 2 }));
    expect(compactEvents(gap)).toEqual(gap);
  });

  it('leaves a lone delta as it is, with no cuts', () => {
    expect(compactEvents(sent([text('whole')]))).toEqual([{ id: 1, at: at(1), body: text('whole') }]);
  });

  it('does not merge across a new attempt, which supersedes what came before', () => {
    const kept = compactEvents(sent([text('lost'), callStart('1/1', 2), text('kept')]));
    expect(kept.map(({ body }) => body.kind)).toEqual(['text_delta', 'model_call_start', 'text_delta']);
  });

  it('folds to the same messages as the events that it was made of', () => {
    fc.assert(
      fc.property(anyStream, (stream) => {
        expect(foldEvents(compactEvents(stream).map(stamp))).toEqual(foldEvents(stream.map(stamp)));
      }),
    );
  });

  it('lets a reader go on from any cursor, to the exact text', () => {
    fc.assert(
      fc.property(anyStream, (stream) => {
        const whole = appendText(stream.map(({ body }) => body));
        const kept = compactEvents(stream);
        for (const { id: cursor } of stream) {
          const before = stream.filter(({ id }) => id <= cursor).map(({ body }) => body);
          const later = kept.filter(({ id }) => id > cursor).map((event) => bodyAfter(event, cursor));
          expect(appendText([...before, ...later])).toEqual(whole);
        }
      }),
    );
  });

  it('lets a reader who comes when all is merged stop at any event, and go on to the exact text', () => {
    fc.assert(
      fc.property(anyStream, (stream) => {
        const whole = appendText(stream.map(({ body }) => body));
        const kept = compactEvents(stream);
        // Events of others stand in between: their ids are cursors as well.
        const cursors = [...kept.map(({ id }) => id), ...gapsOf(stream)];
        for (const cursor of cursors) {
          const before = kept.filter(({ id }) => id <= cursor).map(({ body }) => body);
          const later = kept.filter(({ id }) => id > cursor).map((event) => bodyAfter(event, cursor));
          expect(appendText([...before, ...later])).toEqual(whole);
        }
      }),
    );
  });

  it('parts what is merged where another log has other ids in between', () => {
    const [event] = compactEvents(sent([text('a'), text('b'), text('c'), text('d')]));
    const parts = renumbered(event!, (id) => ({ id: [0, 11, 12, 15, 16][id]!, at: at(id) }));
    expect(parts.map(({ id, body, cuts }) => [id, 'delta' in body && body.delta, cuts])).toEqual([
      [
        12,
        'ab',
        [
          [11, 1],
          [12, 2],
        ],
      ],
      [
        16,
        'cd',
        [
          [15, 1],
          [16, 2],
        ],
      ],
    ]);
  });
});

/** Ids that the stream leaves to others. */
function gapsOf(stream: readonly SentEvent[]): number[] {
  const own = new Set(stream.map(({ id }) => id));
  const last = stream.at(-1)?.id ?? 0;
  return Array.from({ length: last }, (_, i) => i + 1).filter((id) => !own.has(id));
}

function stamp({ at, body }: KeptEvent) {
  return { ...body, at, turnId: 'turn/acme/s/1' };
}

/** What a reader shows who knows no more than to append deltas, and to clear a message that begins again. */
function appendText(bodies: EventBody[]): Map<string, string> {
  const shown = new Map<string, string>();
  for (const body of bodies) {
    if (body.kind === 'model_call_start')
      for (const key of shown.keys()) if (key.startsWith(`${body.messageId} `)) shown.set(key, '');
    if (!('delta' in body) || body.delta === undefined) continue;
    const block = 'blockId' in body ? body.blockId : body.callId;
    const key = `${body.messageId} ${block} ${body.kind}`;
    shown.set(key, (shown.get(key) ?? '') + body.delta);
  }
  return shown;
}

/** Any events at all, not only those that a well-behaved adapter sends. Ids rise, with gaps. */
const anyBody: fc.Arbitrary<EventBody> = fc
  .record({
    messageId: fc.constantFrom('1/1', '1/2'),
    block: fc.constantFrom('b0', 'b1'),
    delta: fc.string({ maxLength: 4, unit: 'binary' }),
    kind: fc.constantFrom(
      'model_call_start' as const,
      'text_start' as const,
      'text_delta' as const,
      'text_delta' as const,
      'text_delta' as const,
      'text_end' as const,
      'thinking_start' as const,
      'thinking_delta' as const,
      'thinking_end' as const,
      'tool_call_start' as const,
      'tool_call_delta' as const,
      'tool_call_delta' as const,
      'tool_call_end' as const,
      'interrupted' as const,
    ),
  })
  .map(({ kind, messageId, block, delta }) => {
    const inBlock = { messageId, blockId: block };
    const inCall = { messageId, callId: block };
    switch (kind) {
      case 'model_call_start':
        return callStart(messageId, 1);
      case 'text_delta':
      case 'thinking_delta':
        return { kind, ...inBlock, delta };
      case 'thinking_end':
        return { kind, ...inBlock, provider: { signature: delta } };
      case 'tool_call_start':
        return { kind, ...inCall, name: 'look' };
      case 'tool_call_delta':
        return { kind, ...inCall, delta };
      case 'tool_call_end':
        return { kind, ...inCall };
      case 'interrupted':
        return { kind, reason: 'why not' };
      default:
        return { kind, ...inBlock };
    }
  });

const anyStream: fc.Arbitrary<SentEvent[]> = fc
  .array(fc.record({ gap: fc.constantFrom(1, 1, 1, 2, 3), body: anyBody }), { maxLength: 25 })
  .map((entries) => {
    let id = 0;
    return entries.map(({ gap, body }) => ({ id: (id += gap), at: at(id), body }));
  });
