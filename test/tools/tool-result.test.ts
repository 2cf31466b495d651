import { describe, expect, it } from 'vitest';
import { runTool } from '../../src/tools/run-tool.ts';
import { media, text } from '../../src/tools/tool-parts.ts';
import { maxResultMediaChars, maxResultTextBytes } from '../../src/tools/tool-result.ts';
import type { ToolOutcome, ToolPart } from '../../src/tools/tool.ts';
import { aCall, aTool } from './a-tool.ts';

const quiet = {
  onText: () => undefined,
  onProgress: () => undefined,
};

function resultOf(output: unknown): Promise<ToolOutcome> {
  return runTool(aTool({ execute: async () => output }), {}, aCall(), quiet);
}

async function textsOf(output: unknown): Promise<string[]> {
  return (await resultOf(output)).parts.map((part: ToolPart) =>
    part.type === 'text' ? part.text : part.mediaType,
  );
}

describe('a result', () => {
  it.each([
    ['refunded', 'refunded'],
    ['', '(empty)'],
    [undefined, 'Done.'],
    [null, 'null'],
    [0, '0'],
    [false, 'false'],
    [[], '[]'],
    [{ id: 1, lines: [{ sku: 'a', note: undefined }] }, '{"id":1,"lines":[{"sku":"a"}]}'],
    [{ at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    [{ parts: [{ sku: 'bolt' }] }, '{"parts":[{"sku":"bolt"}]}'],
    [Object.create(null), '{}'],
  ])('%j reads %s', async (output, shown) => {
    expect(await resultOf(output)).toEqual({ state: 'success', parts: [{ type: 'text', text: shown }] });
  });

  it('of bytes is media', async () => {
    expect(await resultOf(new TextEncoder().encode('hi'))).toEqual({
      state: 'success',
      parts: [
        { type: 'data', mediaType: 'application/octet-stream', source: { type: 'base64', data: 'aGk=' } },
      ],
    });
  });

  it('may have several parts', async () => {
    const chart = media({ mediaType: 'image/png', data: new Uint8Array([1]), name: 'chart.png' });
    expect(await textsOf([text('Sales:'), chart])).toEqual(['Sales:', 'image/png']);
    expect(await textsOf(chart)).toEqual(['image/png']);
  });

  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  it.each([
    [1n, 'it is a BigInt'],
    [{ row: { total: 1n } }, '"total" is a BigInt'],
    [cyclic, 'circular'],
    [() => 1, 'it is a function'],
    [{ next: Symbol('x') }, '"next" is a symbol'],
    [new Map([[1, 2]]), 'it is of class Map'],
    [{ seen: new Set() }, '"seen" is of class Set'],
    [new Error('lost'), 'it is of class Error'],
    [{ pending: Promise.resolve() }, '"pending" is of class Promise'],
    [new Response('x'), 'it is of class Response'],
    [{ file: Buffer.from('x') }, '"file" is binary'],
  ])('that JSON has no word for is an error that names it (%#)', async (output, problem) => {
    const { state, parts } = await resultOf(output);
    expect(state).toBe('error');
    expect(parts).toEqual([{ type: 'text', text: expect.stringContaining(problem) as string }]);
    expect(parts).toEqual([
      { type: 'text', text: expect.stringContaining('may have taken effect') as string },
    ]);
  });
});

describe('a result that is too large', () => {
  it('is cut, and says by how much', async () => {
    const [kept, note] = await textsOf('x'.repeat(maxResultTextBytes + 5));
    expect(kept).toHaveLength(maxResultTextBytes);
    expect(note).toContain('Cut: 5 bytes');
  });

  it('is kept whole at the limit', async () => {
    expect(await textsOf('x'.repeat(maxResultTextBytes))).toHaveLength(1);
  });

  it('is cut between characters', async () => {
    const [kept, note] = await textsOf(`xx${'€'.repeat(maxResultTextBytes / 3 + 1)}`);
    expect(kept?.endsWith('€')).toBe(true);
    expect(note).toMatch(/Cut: \d+ bytes/);
  });

  it('is counted over all its text parts', async () => {
    const half = text('x'.repeat(maxResultTextBytes / 2 + 1));
    const texts = await textsOf([half, half, text('lost')]);
    expect(texts.map((part) => part.length).slice(0, 2)).toEqual([
      maxResultTextBytes / 2 + 1,
      maxResultTextBytes / 2 - 1,
    ]);
    expect(texts[2]).toContain('Cut: 6 bytes');
  });

  it('is cut while it streams, and not streamed beyond', async () => {
    let streamed = 0;
    const tool = aTool({
      async *execute() {
        for (let i = 0; i < 3; i += 1) yield 'x'.repeat(maxResultTextBytes / 2);
      },
    });
    const outcome = await runTool(tool, {}, aCall(), {
      ...quiet,
      onText: (delta) => (streamed += delta.length),
    });
    expect(streamed).toBe(maxResultTextBytes);
    expect(outcome.parts).toHaveLength(2);
    expect(outcome.parts[1]).toMatchObject({
      text: expect.stringContaining(`Cut: ${maxResultTextBytes / 2} bytes`) as string,
    });
  });

  it('loses media that no model takes', async () => {
    const data = 'A'.repeat(maxResultMediaChars + 4);
    const [shown] = await textsOf(media({ mediaType: 'video/mp4', data, name: 'tour.mp4' }));
    expect(shown).toBe('[Left out: tour.mp4 of 21 MB, which is more than a model takes.]');
  });
});

describe('media', () => {
  it('takes base64 and addresses too', () => {
    expect(media({ mediaType: 'image/png', data: 'aGk=' }).parts).toMatchObject([
      { source: { data: 'aGk=' } },
    ]);
    expect(media({ mediaType: 'image/png', url: new URL('https://acme.test/a.png') }).parts).toMatchObject([
      { source: { type: 'url', url: 'https://acme.test/a.png' } },
    ]);
  });

  it('says what is wrong with its input', () => {
    expect(() => media({ mediaType: 'png', data: 'aGk=' })).toThrow('must look like image/png');
    expect(() => media({ mediaType: 'text/plain', data: 'not base64!' })).toThrow('Buffer.from(text)');
    expect(() => media({ mediaType: 'image/png', url: '/tmp/a.png' })).toThrow('must begin with http:');
  });
});
