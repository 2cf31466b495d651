import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import type { AnswerReader } from '../../src/model/answer-reader.ts';
import { ChatReader } from '../../src/model/chat-reader.ts';
import { ResponsesReader } from '../../src/model/responses-reader.ts';
import { SseDecoder } from '../../src/model/sse.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { calls, ScriptedModel, thinks, type WireOptions } from '../../src/testing/index.ts';
import { type Api, fold, gist } from './ask.ts';

function pieces(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, at) => bytes.subarray(places[at], end));
}

function readStream(parts: readonly Uint8Array[], reader: AnswerReader): unknown {
  const decoder = new SseDecoder();
  const messages = [...parts.flatMap((part) => decoder.push(part)), ...decoder.end()];
  const chunks = messages.flatMap(({ data }) =>
    data === '[DONE]' ? [] : reader.streamed(JSON.parse(data) as JsonObject),
  );
  return gist(fold([...chunks, ...reader.end()]));
}

const readerOf = (api: Api): AnswerReader =>
  api === 'chat'
    ? new ChatReader((name) => name)
    : new ResponsesReader({ toolName: (name) => name, thinkingKey: 'k' });

const words = fc.string({ unit: 'grapheme', maxLength: 40 });
const answers = fc.record({
  thinking: words,
  text: words,
  calls: fc.array(fc.tuple(fc.constantFrom('search', 'read'), fc.dictionary(words, words, { maxKeys: 3 })), {
    maxLength: 3,
  }),
});
const wires: fc.Arbitrary<WireOptions> = fc
  .record({
    fragment: fc.integer({ min: 1, max: 9 }),
    lineEnd: fc.constantFrom('\n' as const, '\r\n' as const),
    comments: fc.boolean(),
    contentAsArray: fc.boolean(),
    reasoningField: fc.constantFrom('reasoning' as const, 'reasoning_content' as const),
    usage: fc.constantFrom('own_chunk' as const, 'with_finish' as const, 'omitted' as const),
    done: fc.constantFrom('sent' as const, 'omitted' as const),
    // Interleaved fragments that carry neither index nor id belong to nobody: no reader could tell.
    marks: fc.constantFrom<WireOptions>(
      { callStyle: 'interleaved' },
      { callStyle: 'interleaved', callIndex: 'omitted', callId: 'repeated' },
      { callStyle: 'interleaved', callId: 'omitted' },
      { callStyle: 'fragments', callIndex: 'omitted' },
      { callStyle: 'fragments', callIndex: 'omitted', callId: 'omitted' },
      { callStyle: 'whole', callIndex: 'omitted', callId: 'omitted' },
      { callStyle: 'whole' },
    ),
  })
  .map(({ marks, ...wire }) => ({ ...wire, ...marks }));

describe.each(['chat', 'responses'] as const)('a stream of %s', (api) => {
  let model: ScriptedModel;
  beforeAll(async () => void (model = await ScriptedModel.start()));
  afterAll(() => model.stop());

  const bytesOf = async (): Promise<Uint8Array> => {
    const path = api === 'chat' ? '/chat/completions' : '/responses';
    const body = JSON.stringify({ model: 'm', stream: true, messages: [], input: [] });
    return (await fetch(model.baseUrl + path, { method: 'POST', body })).bytes();
  };

  it('folds to the message that was meant, however it is cut, marked and interleaved', async () => {
    await fc.assert(
      fc.asyncProperty(answers, wires, fc.array(fc.nat(), { maxLength: 30 }), async (answer, wire, cuts) => {
        model.queue(thinks(answer.thinking, calls(answer.calls, { text: answer.text, ...wire })));
        const bytes = await bytesOf();
        const meant = {
          content: [
            ...(answer.thinking === '' ? [] : [['thinking', answer.thinking]]),
            ...(answer.text === '' ? [] : [['text', answer.text]]),
            ...answer.calls.map(([name, args]) => [name, JSON.stringify(args)]),
          ],
          finishReason: answer.calls.length > 0 ? 'tool_calls' : 'stop',
        };
        expect(readStream(pieces(bytes, cuts), readerOf(api))).toEqual(meant);
        expect(
          readStream(
            [...bytes].map((byte) => Uint8Array.of(byte)),
            readerOf(api),
          ),
        ).toEqual(meant);
      }),
      { numRuns: 150 },
    );
  });
});

describe('SseDecoder', () => {
  const decode = (text: string, cuts: readonly number[] = []): string[] => {
    const decoder = new SseDecoder();
    const parts = pieces(new TextEncoder().encode(text), cuts);
    return [...parts.flatMap((part) => decoder.push(part)), ...decoder.end()].map(
      ({ event, data }) => `${event}|${data}`,
    );
  };

  it.each([
    ['data: a\n\n', ['|a']],
    ['data:a\n\ndata: b\n\n', ['|a', '|b']],
    ['event: x\ndata: a\n\n', ['x|a']],
    ['data: a\ndata: b\n\n', ['|a\nb']],
    ['data: a\r\n\r\ndata: b\r\n\r\n', ['|a', '|b']],
    ['data: a\r\ndata: b\r\n\r\n', ['|a\nb']],
    ['data: a\r\rdata: b\r\r', ['|a', '|b']],
    [': comment\n\ndata: a\n\n', ['|a']],
    ['id: 1\nretry: 5\ndata: a\n\n', ['|a']],
    ['\ufeffdata: a\n\n', ['|a']],
    ['data: last', ['|last']],
    ['data\n\n', ['|']],
    ['event: x\n\ndata: a\n\n', ['|a']],
  ])('reads %j', (text, messages) => {
    expect(decode(text)).toEqual(messages);
    expect(
      decode(
        text,
        Array.from({ length: text.length }, (_, at) => at),
      ),
    ).toEqual(messages);
  });
});
