import { describe, expect, it } from 'vitest';
import { schemaFault, serverSchemaCheck } from '../../src/mcp/server-schema.ts';
import type { Json } from '../../src/schema/message.ts';

type Schema = Record<string, Json>;
const accepts = (schema: Schema, value: unknown) => serverSchemaCheck(schema)(value).ok;
const backtracks = '^(a+)+$';
const hostile = `${'a'.repeat(40)}!`;

describe('the check of a schema that a server sent', () => {
  it('runs none of its regular expressions', () => {
    expect(accepts({ properties: { s: { type: 'string', pattern: backtracks } } }, { s: hostile })).toBe(
      true,
    );
    expect(accepts({ propertyNames: { pattern: backtracks } }, { [hostile]: 1 })).toBe(true);
    expect(accepts({ patternProperties: { [backtracks]: { type: 'null' } } }, { [hostile]: 1 })).toBe(true);
  });

  it('holds every other rule', () => {
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer', minimum: 1 }, s: { type: 'string', pattern: '^x' } },
      required: ['n'],
      additionalProperties: false,
    };
    expect(accepts(schema, { n: 1, s: 'y' })).toBe(true);
    expect(accepts(schema, { n: 0 })).toBe(false);
    expect(accepts(schema, { n: 1, s: 2 })).toBe(false);
    expect(accepts(schema, { n: 1, more: 1 })).toBe(false);
    expect(serverSchemaCheck(schema)({})).toMatchObject({ ok: false, issues: [{ text: 'n is missing' }] });
    expect(accepts({ unevaluatedProperties: false, properties: { a: {} } }, { b: 1 })).toBe(false);
  });

  it.each(['additionalProperties', 'unevaluatedProperties'])(
    'takes any key beside patternProperties, whatever %s says, and keeps the rules of named ones',
    (keyword) => {
      const schema: Schema = {
        properties: { n: { type: 'number' } },
        patternProperties: { '^x-': { type: 'string' } },
        [keyword]: false,
      };
      expect(accepts(schema, { n: 1, 'x-a': 'b' })).toBe(true);
      expect(accepts(schema, { n: 'one' })).toBe(false);
    },
  );

  it('gives up on one whose references double at each level, and leaves it to the server', () => {
    const $defs: Schema = { d60: { type: 'object' } };
    for (let i = 0; i < 60; i += 1) {
      const next = { $ref: `#/$defs/d${i + 1}` };
      $defs[`d${i}`] = { allOf: [next, next] };
    }
    const check = serverSchemaCheck({ $defs, $ref: '#/$defs/d0' });
    expect(check({})).toEqual({ ok: true, value: {} });
    expect(check(1).ok).toBe(true);
  });

  it('watches over a check that may be long, though the one before was not', () => {
    const check = serverSchemaCheck({ properties: { list: { uniqueItems: true } } });
    const list = Array.from({ length: 40_000 }, (_, n) => ({ n }));
    expect(check({ list: [1, 1] }).ok).toBe(false);
    expect(check({ list }).ok).toBe(true);
    // Given up on, from then on.
    expect(check({ list: [1, 1] }).ok).toBe(true);
  });

  it('leaves what is no schema to the server', () => {
    expect(accepts({ type: 'no such type' }, 1)).toBe(true);
  });
});

describe('the size of a server’s schemas', () => {
  const tool = (inputSchema: object) =>
    schemaFault({ name: 't', inputSchema: { type: 'object', ...inputSchema } });

  it('is bounded, and so is their depth', () => {
    let deep: object = {};
    for (let i = 0; i < 100_000; i += 1) deep = { not: deep };
    expect(tool({ properties: { a: { type: 'string' } } })).toBeUndefined();
    expect(tool({ description: 'x'.repeat(300_000) })).toMatch(/larger than 256 KB/);
    expect(tool({ properties: { a: deep } })).toMatch(/nested deeper than 64 levels/);
  });
});
