import { describe, expect, it } from 'vitest';
import { takesMedia } from '../../src/model/media-globs.ts';
import { ToolNames } from '../../src/model/tool-names.ts';
import { toWireItems, type WireItem } from '../../src/model/wire-messages.ts';
import { isChatMedia, toChatMessages } from '../../src/model/chat-messages.ts';
import { toResponsesInput } from '../../src/model/responses-messages.ts';
import type { Block, DataBlock, Msg } from '../../src/schema/message.ts';
import { aCall, aMsg, aResult, aText } from './ask.ts';

const png: DataBlock = {
  type: 'data',
  id: 'b1',
  mediaType: 'image/png',
  source: { type: 'base64', data: 'AAAA' },
  name: 'cat.png',
};
const video: DataBlock = { ...png, mediaType: 'video/mp4', name: 'cat.mp4' };
const hint: Block = { type: 'hint', id: 'b2', text: 'It is noon.' };

function lay(messages: Msg[]): WireItem[] {
  return toWireItems(messages, {
    names: new ToolNames([]),
    takes: (block) => takesMedia({ contextTokens: 1, inputMedia: ['image/*'] }, block.mediaType),
  });
}

const kinds = (items: WireItem[]): string[] => items.map((item) => item.kind);

describe('toWireItems', () => {
  it('puts media of results into one user message after the last result, each labeled', () => {
    const items = lay([
      aMsg('assistant', [aCall('a', 'shoot'), aCall('b', 'shoot')]),
      aResult('a', [aText('one'), png]),
      aResult('b', [png]),
      aMsg('user', [aText('and?')]),
    ]);
    expect(kinds(items)).toEqual(['assistant', 'result', 'result', 'user', 'user']);
    expect(items[1]).toMatchObject({
      text: 'one\n[image/png "cat.png": shown after the results as attachment 1]',
    });
    expect(items[3]).toMatchObject({
      parts: [
        { text: '[attachment 1, from the result of tool]' },
        { type: 'media' },
        { text: '[attachment 2, from the result of tool]' },
        { type: 'media' },
      ],
    });
  });

  it('puts hints that come with calls or results after the last result as well', () => {
    const items = lay([
      aMsg('assistant', [aText('go'), hint, aCall('a', 'x'), aCall('b', 'x')]),
      { ...aResult('a', [aText('1')]), content: [...aResult('a', [aText('1')]).content, hint] },
      aResult('b', [aText('2')]),
    ]);
    expect(kinds(items)).toEqual(['assistant', 'result', 'result', 'user', 'user']);
  });

  it('sends a hint as a user message', () => {
    expect(lay([aMsg('user', [hint])])).toEqual([
      { kind: 'user', parts: [{ type: 'text', text: 'It is noon.' }] },
    ]);
  });

  it('says in text what media it left out, and where a link leads', () => {
    const link: DataBlock = { ...video, source: { type: 'url', url: 'https://a.test/v.mp4' } };
    expect(lay([aMsg('user', [aText('see'), video, link])])).toMatchObject([
      {
        parts: [
          { text: 'see' },
          { text: '[video/mp4 "cat.mp4": left out, because this model does not take video/mp4]' },
          { text: '[video/mp4 "cat.mp4": available at https://a.test/v.mp4]' },
        ],
      },
    ]);
  });

  it('quotes text files', () => {
    const data = Buffer.from('a,b\n1,2').toString('base64');
    const csv: DataBlock = { ...png, mediaType: 'text/csv', source: { type: 'base64', data }, name: 't.csv' };
    expect(lay([aMsg('user', [csv])])).toMatchObject([{ parts: [{ text: '[text/csv "t.csv"]\na,b\n1,2' }] }]);
  });

  it.each([
    ['{"q":1}', '{"q":1}'],
    ['', '{}'],
    ['{"q": "unfin', '{"_unparsed":"{\\"q\\": \\"unfin"}'],
    ['[1]', '{"_unparsed":"[1]"}'],
    ['null', '{"_unparsed":"null"}'],
  ])('sends the arguments %j as %s', (raw, sent) => {
    expect(lay([aMsg('assistant', [aCall('a', 'x', raw)])])).toMatchObject([
      { parts: [{ arguments: sent }] },
    ]);
  });

  it('never sends empty content', () => {
    const items = lay([
      aMsg('user', [aText(' ')]),
      aMsg('assistant', [{ type: 'thinking', id: 'b0', text: 'hm' }]),
      aMsg('assistant', [aText(''), aCall('a', 'x')]),
      aResult('a', []),
    ]);
    expect(items).toMatchObject([{ parts: [{ type: 'call' }] }, { kind: 'result', text: '(no output)' }]);
  });

  it('replaces half characters, for which endpoints refuse a request', () => {
    expect(lay([aMsg('user', [aText('cut \ud83d')])])).toMatchObject([{ parts: [{ text: 'cut \ufffd' }] }]);
    expect(lay([aMsg('user', [aText('whole 👧')])])).toMatchObject([{ parts: [{ text: 'whole 👧' }] }]);
  });

  it('uses the endpoint’s call ids where they are unique, else ours', () => {
    const items = lay([
      aMsg('assistant', [aCall('own-1', 'x', '{}', 'same'), aCall('own-2', 'x', '{}', 'same')]),
      aResult('own-1', []),
      aResult('own-2', []),
      aMsg('assistant', [
        aCall('own-3', 'x', '{}', 'theirs'),
        aCall('own-4', 'x'),
        aCall('own-5', 'x', '{}', 'l'.repeat(65)),
      ]),
      aResult('own-3', []),
      aResult('own-4', []),
      aResult('own-5', []),
    ]);
    const called = items
      .flatMap((item) => (item.kind === 'assistant' ? item.parts : []))
      .map((part) => 'id' in part && part.id);
    const answered = items.flatMap((item) => (item.kind === 'result' ? [item.callId] : []));
    expect(called).toEqual(['own-1', 'own-2', 'theirs', 'own-4', 'own-5']);
    expect(answered).toEqual(called);
  });
});

describe('toChatMessages', () => {
  it('sends plain text as a string, and media as parts', () => {
    const items = lay([aMsg('user', [aText('a'), aText('b')]), aMsg('user', [aText('see'), png])]);
    expect(toChatMessages('', items)).toEqual([
      { role: 'user', content: 'a\n\nb' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
    ]);
  });

  it('sends documents and sound in their own forms', () => {
    const parts = [
      { ...png, mediaType: 'application/pdf', name: 'a.pdf' },
      { ...png, mediaType: 'audio/mpeg' },
    ].map((block) => ({ type: 'media' as const, block }));
    expect(toChatMessages('', [{ kind: 'user', parts }])).toMatchObject([
      {
        content: [
          { type: 'file', file: { filename: 'a.pdf' } },
          { type: 'input_audio', input_audio: { format: 'mp3' } },
        ],
      },
    ]);
    expect(
      isChatMedia({
        ...png,
        mediaType: 'application/pdf',
        source: { type: 'url', url: 'https://a.test/a.pdf' },
      }),
    ).toBe(false);
  });
});

describe('toResponsesInput', () => {
  it('sends media as parts of the input', () => {
    const pdf = { ...png, mediaType: 'application/pdf', name: 'a.pdf' };
    expect(toResponsesInput(lay([aMsg('user', [aText('see'), png])]), 'k')).toMatchObject([
      {
        role: 'user',
        content: [{ type: 'input_text' }, { type: 'input_image', image_url: 'data:image/png;base64,AAAA' }],
      },
    ]);
    expect(toResponsesInput([{ kind: 'user', parts: [{ type: 'media', block: pdf }] }], 'k')).toMatchObject([
      { content: [{ type: 'input_file', filename: 'a.pdf' }] },
    ]);
  });
});

describe('ToolNames', () => {
  it('keeps names that fit, and fits the others so that all differ', () => {
    const long = 'x'.repeat(70);
    const names = new ToolNames(
      ['a.b', 'a_b', 'a/b', long, `${long}y`, 'größe'].map((name) => ({
        name,
        description: '',
        parameters: {},
      })),
    );
    const wire = ['a.b', 'a_b', 'a/b', long, `${long}y`, 'größe'].map((name) => names.toWire(name));
    expect(wire).toEqual(['a_b_2', 'a_b', 'a_b_3', 'x'.repeat(64), `${'x'.repeat(60)}_2`, 'gr__e']);
    expect(wire.map((name) => names.fromWire(name))).toEqual([
      'a.b',
      'a_b',
      'a/b',
      long,
      `${long}y`,
      'größe',
    ]);
  });

  it('fits the name of a tool that is no longer there, even an empty one', () => {
    const names = new ToolNames([]);
    expect(names.toWire('')).toBe('unnamed');
    expect(names.fromWire('never_seen')).toBe('never_seen');
  });
});
