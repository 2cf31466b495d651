import { describe, expect, it } from 'vitest';
import { CallKeys } from '../../src/model/call-keys.ts';

type Mark = { index?: number; id?: string; name?: string; position?: number };

const cases: [title: string, marks: Mark[], calls: number[]][] = [
  [
    'an index, the id at first',
    [{ index: 0, id: 'a', name: 'x' }, { index: 0 }, { index: 1, id: 'b', name: 'y' }, { index: 1 }],
    [0, 0, 1, 1],
  ],
  [
    'an index, interleaved',
    [{ index: 0, id: 'a', name: 'x' }, { index: 1, id: 'b', name: 'y' }, { index: 0 }, { index: 1 }],
    [0, 1, 0, 1],
  ],
  [
    'an index, another id each time',
    [
      { index: 0, id: 'a', name: 'x' },
      { index: 0, id: 'r1' },
      { index: 0, id: 'r2' },
    ],
    [0, 0, 0],
  ],
  [
    'an index, id and name each time',
    [
      { index: 0, id: 'a', name: 'x' },
      { index: 0, id: 'a', name: 'x' },
    ],
    [0, 0],
  ],
  [
    'index 0 for all whole calls',
    [
      { index: 0, id: 'a', name: 'x' },
      { index: 0, id: 'b', name: 'x' },
    ],
    [0, 1],
  ],
  [
    'an index, the id after the name',
    [
      { index: 0, name: 'x' },
      { index: 0, id: 'a', name: 'x' },
    ],
    [0, 0],
  ],
  [
    'the id alone, each time',
    [{ id: 'a', name: 'x' }, { id: 'b', name: 'y' }, { id: 'a' }, { id: 'b' }],
    [0, 1, 0, 1],
  ],
  ['the id alone, at first', [{ id: 'a', name: 'x' }, {}, {}, { id: 'b', name: 'y' }, {}], [0, 0, 0, 1, 1]],
  ['neither, whole calls', [{ name: 'x' }, { name: 'x' }], [0, 1]],
  ['neither, fragments', [{ name: 'x' }, {}, {}, { name: 'y' }, {}], [0, 0, 0, 1, 1]],
  [
    'neither, by place in the list',
    [{ name: 'x' }, { name: 'y', position: 1 }, {}, { position: 1 }, {}],
    [0, 1, 0, 1, 0],
  ],
];

describe('CallKeys', () => {
  it.each(cases)('tells calls apart by %s', (_, marks, calls) => {
    const keys = new CallKeys();
    const given = marks.map(({ index, id, name, position }) =>
      keys.keyOf({ index, id, name, position: position ?? 0 }),
    );
    const distinct = [...new Set(given)];
    expect(given.map((key) => distinct.indexOf(key))).toEqual(calls);
  });
});
