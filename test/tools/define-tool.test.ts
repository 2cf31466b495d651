import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import { z } from 'zod';
import { DefinitionError } from '../../src/tools/definition-error.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { ToolProgress } from '../../src/tools/tool.ts';
import { aCall } from './a-tool.ts';

const refund = {
  name: 'refund_order',
  description: 'Refund an order',
  input: z.object({ orderId: z.string(), amount: z.number().positive() }),
  execute: () => 'ok',
};
const context = {
  ...aCall(),
  ask: async () => ({ kind: 'nobody' }) as const,
  progress: () => undefined,
  spend: () => undefined,
  preset: {},
};
const acme = { owner: 'acme', sessionId: 's' };

/** Stands for options that no type checker has seen. */
function defineUnchecked(options: object) {
  return defineTool(options as typeof refund);
}

function errorOf(define: () => unknown): DefinitionError {
  try {
    define();
  } catch (error) {
    if (error instanceof DefinitionError) return error;
    throw error;
  }
  throw new Error('the definition was accepted');
}

describe('defineTool', () => {
  it('fills in what was left out with the careful choice', () => {
    expect(defineTool(refund)).toMatchObject({
      isIdempotent: false,
      isExternal: false,
      returnDirect: false,
      timeoutMs: 300_000,
      maxAttempts: 1,
    });
    expect(defineTool(refund).isReadOnly({})).toBe(false);
    expect(defineTool(refund).isConcurrencySafe({})).toBe(false);
  });

  it('lets read-only calls run beside others unless told otherwise', () => {
    expect(defineTool({ ...refund, readOnly: true }).isConcurrencySafe({})).toBe(true);
    expect(defineTool({ ...refund, readOnly: true, concurrencySafe: false }).isConcurrencySafe({})).toBe(
      false,
    );
  });

  it('asks a predicate about each input, and takes a throwing one for no', () => {
    const query = defineTool({
      ...refund,
      input: z.object({ sql: z.string() }),
      readOnly: ({ sql }) => sql.startsWith('select'),
    });
    expect(query.isReadOnly({ sql: 'select 1' })).toBe(true);
    expect(query.isReadOnly({ sql: 'drop table orders' })).toBe(false);
    expect(query.isReadOnly({})).toBe(false);
  });

  it('needs no execute when a system outside executes it', async () => {
    const { execute: _, ...declared } = refund;
    const tool = defineTool({ ...declared, external: true });
    expect(tool.isExternal).toBe(true);
    await expect(tool.execute({}, context)).rejects.toThrow('refund_order is external');
  });
});

describe('the permission of a tool', () => {
  it('is none unless stated', async () => {
    expect(await defineTool(refund).checkPermission({}, acme)).toBeUndefined();
  });

  it('is a word, or a function that answers a word', async () => {
    const fixed = defineTool({ ...refund, permission: 'ask' });
    expect(await fixed.checkPermission({}, acme)).toEqual({
      behavior: 'ask',
      reason: 'refund_order asks before it acts',
    });
    const byAmount = defineTool({ ...refund, permission: ({ amount }) => (amount < 50 ? 'allow' : 'ask') });
    expect(await byAmount.checkPermission({ amount: 10 }, acme)).toMatchObject({ behavior: 'allow' });
    expect(await byAmount.checkPermission({ amount: 90 }, acme)).toMatchObject({ behavior: 'ask' });
  });

  it('keeps the reason that a function gives, and waits for it', async () => {
    const tool = defineTool({
      ...refund,
      permission: async (_, { owner }) => ({ behavior: 'deny', reason: `${owner} has no refunds` }),
    });
    expect(await tool.checkPermission({}, acme)).toEqual({ behavior: 'deny', reason: 'acme has no refunds' });
  });

  it('is deny when the function throws or answers something else', async () => {
    const throws = defineTool({
      ...refund,
      permission: () => {
        throw new Error('policy server down');
      },
    });
    expect(await throws.checkPermission({}, acme)).toEqual({
      behavior: 'deny',
      reason: 'the permission check of refund_order failed: policy server down',
    });
    const answersTrue = defineUnchecked({ ...refund, permission: () => true });
    expect(await answersTrue.checkPermission({}, acme)).toMatchObject({ behavior: 'deny' });
  });
});

describe('presets', () => {
  const tool = defineTool({
    ...refund,
    input: z.object({ orderId: z.string(), region: z.enum(['eu', 'us']) }),
    preset: { region: 'eu' },
    execute: (input, { preset }) => ({ input, preset }),
  });

  it('are absent from what the model is told', () => {
    expect(tool.parameters).toEqual({
      type: 'object',
      properties: { orderId: { type: 'string' } },
      required: ['orderId'],
    });
  });

  it('override what the model wrote, and reach execute', async () => {
    const checked = await tool.validate({ orderId: '1', region: 'us' });
    expect(checked).toEqual({ ok: true, value: { orderId: '1', region: 'eu' } });
    expect(await tool.execute({ orderId: '1', region: 'eu' }, context)).toEqual({
      input: { orderId: '1', region: 'eu' },
      preset: { region: 'eu' },
    });
  });

  it('are checked when the tool is defined, for the model could not mend them', () => {
    const wrongValue = errorOf(() => defineUnchecked({ ...refund, preset: { amount: -1 } }));
    expect(wrongValue.field).toBe('preset.amount');
    const wrongName = errorOf(() => defineUnchecked({ ...refund, preset: { orderID: '1' } }));
    expect(wrongName.message).toContain('Did you mean orderId?');
  });
});

describe('the input of a tool', () => {
  it('is a plain JSON Schema, checked with its paths', async () => {
    const tool = defineTool({
      ...refund,
      input: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          orderId: { type: 'string' },
          lines: { type: 'array', items: { type: 'object', required: ['sku'] } },
        },
        required: ['orderId'],
        additionalProperties: false,
      },
    });
    expect(tool.parameters).not.toHaveProperty('$schema');
    expect(await tool.validate({ orderId: '1' })).toEqual({ ok: true, value: { orderId: '1' } });
    expect(await tool.validate({ lines: [{}], colour: 'red' })).toEqual({
      ok: false,
      issues: ['orderId is missing', 'colour is not known: leave it out', 'lines[0].sku is missing'],
    });
  });

  it.each([
    ['JSON Schema', { type: 'object', properties: {}, additionalProperties: false } as const],
    ['zod', z.strictObject({})],
  ])('repeats of unknown keys in %s what looks like a name, and nothing else', async (_, input) => {
    const tool = defineTool({ ...refund, input });
    const checked = await tool.validate({ colour: 'red', 'hunter2 is the password': 1, ['x'.repeat(40)]: 1 });
    const text = JSON.stringify(checked);
    expect(text).toContain('colour');
    expect(text).toContain('whose name is not repeated here');
    expect(text).not.toMatch(/hunter2|xxxx|red/);
    expect(await tool.validate({ colour: 1 })).toEqual({
      ok: false,
      issues: ['colour is not known: leave it out'],
    });
  });

  it('takes formats and unknown keywords for notes to the model, in silence', async () => {
    const warn = vi.spyOn(console, 'warn');
    const properties = { at: { type: 'string', format: 'date-time', 'x-shown': true } };
    const tool = defineTool({ ...refund, input: { type: 'object', properties } });
    expect(await tool.validate({ at: 'noon' })).toMatchObject({ ok: true });
    expect(warn).not.toHaveBeenCalled();
  });

  it('does not take what every object inherits for an argument', async () => {
    const tool = defineTool({ ...refund, input: { type: 'object', required: ['toString'] } });
    expect(await tool.validate({})).toEqual({ ok: false, issues: ['toString is missing'] });
  });

  it('is a Standard Schema that tells its own JSON Schema', async () => {
    const tool = defineTool({ ...refund, input: aStandardSchema({ offersJsonSchema: true }) });
    expect(tool.parameters).toEqual({ type: 'object', properties: { orderId: { type: 'string' } } });
    expect(await tool.validate({})).toEqual({
      ok: false,
      issues: ['orderId is missing (expected a string)'],
    });
  });

  it('is any other Standard Schema with its JSON Schema beside it', () => {
    const input = aStandardSchema({ offersJsonSchema: false });
    expect(errorOf(() => defineTool({ ...refund, input })).message).toContain('add it as parameters:');
    const parameters = { type: 'object', properties: { orderId: { type: 'string' } } };
    expect(defineTool({ ...refund, input, parameters }).parameters).toEqual(parameters);
  });

  it('may transform what the model wrote, and fill in defaults', async () => {
    const tool = defineTool({
      ...refund,
      input: z.object({ day: z.iso.date().transform((day) => new Date(day)), limit: z.number().default(10) }),
    });
    expect(tool.parameters['required']).toEqual(['day']);
    expect(await tool.validate({ day: '2026-01-02' })).toEqual({
      ok: true,
      value: { day: new Date('2026-01-02'), limit: 10 },
    });
  });

  it('says what each alternative of a union misses', async () => {
    const tool = defineTool({
      ...refund,
      input: z.object({ by: z.union([z.object({ id: z.string() }), z.object({ email: z.string() })]) }),
    });
    const checked = await tool.validate({ by: { id: 7 } });
    expect(checked).toMatchObject({
      ok: false,
      issues: [expect.stringMatching(/^by: .*id: .*string.* nor email: /)],
    });
  });

  it('belongs to the tool: later changes of the schema do not reach it', () => {
    const properties: Record<string, object> = { orderId: { type: 'string' } };
    const tool = defineTool({ ...refund, input: { type: 'object', properties } });
    delete properties['orderId'];
    expect(tool.parameters['properties']).toEqual({ orderId: { type: 'string' } });
  });
});

describe('an invalid definition', () => {
  it.each([
    ['name', { ...refund, name: 'refund order' }, 'write refund_order.'],
    ['name', { ...refund, name: 'x'.repeat(65) }, 'at most 64'],
    ['name', { ...refund, name: undefined }, 'it is missing'],
    ['description', { ...refund, description: ' ' }, 'tell the model'],
    ['input', { ...refund, input: undefined }, 'z.object({})'],
    ['input', { ...refund, input: z.string() }, 'top level is type "string": wrap it'],
    ['input', { ...refund, input: z.union([z.object({}), z.object({})]) }, 'top level is anyOf: wrap it'],
    ['input', { ...refund, input: { type: 'object', properties: 7 } }, 'no valid JSON Schema'],
    [
      'parameters',
      { ...refund, input: { type: 'object' }, parameters: { type: 'object' } },
      'leave parameters out',
    ],
    ['input', { ...refund, input: containsItself() }, 'by $ref'],
    ['execute', { ...refund, execute: undefined }, 'external: true'],
    ['execute', { ...refund, external: true }, 'leave execute out'],
    ['retry', { ...refund, retry: { maxAttempts: 3 } }, 'declare idempotent: true'],
    ['retry.maxAttempts', { ...refund, idempotent: true, retry: { maxAttempts: 0 } }, 'from 1 to 100'],
    ['timeout', { ...refund, timeout: '5s' }, 'whole milliseconds'],
    ['permission', { ...refund, permission: 'always' }, "'allow', 'ask', 'deny'"],
    ['readonly', { ...refund, readonly: true }, 'Did you mean readOnly?'],
    ['idempotent', { ...refund, idempotent: 'yes' }, 'true or false'],
    ['preset', { ...refund, preset: ['eu'] }, 'write an object'],
  ])('names the field %s and the remedy', (field, options, remedy) => {
    const error = errorOf(() => defineUnchecked(options));
    expect(error.code).toBe('InvalidDefinition');
    expect(error.field).toBe(field);
    expect(error.message).toContain(remedy);
  });

  it.each([
    [z.date(), 'due: z.date() can', 'z.iso.datetime()'],
    [z.array(z.object({ id: z.bigint() })), 'due[].id: z.bigint()', 'z.string()'],
    [z.map(z.string(), z.string()).optional(), 'due: z.map()', 'z.record'],
    [z.record(z.string(), z.set(z.string())), 'due.*: z.set()', 'z.array'],
    [z.transform((value) => value), 'due: z.transform()', 'put a type before it'],
    [z.function(), 'due: z.function()', 'leave it out'],
    [z.instanceof(URL), 'due: z.custom() or z.instanceof()', '.refine()'],
    [z.literal([1n]), 'due: z.literal()', 'finite numbers'],
  ])('names the path of what zod cannot express as JSON Schema', (type, path, remedy) => {
    const error = errorOf(() =>
      defineTool({ ...refund, input: z.object({ id: z.literal('a'), due: type }) }),
    );
    expect(error.field).toBe('input');
    expect(error.message).toContain(path);
    expect(error.message).toContain(remedy);
    expect(error.message).not.toContain('id: z.literal()');
  });
});

describe('types', () => {
  it('flow from zod to execute, permission and readOnly', () => {
    defineTool({
      ...refund,
      permission: ({ amount }) => (expectTypeOf(amount).toEqualTypeOf<number>(), 'ask'),
      readOnly: (input) => (expectTypeOf(input).toEqualTypeOf<{ orderId: string; amount: number }>(), false),
      async execute(input, { progress, signal, idempotencyKey }) {
        expectTypeOf(input).toEqualTypeOf<{ orderId: string; amount: number }>();
        expectTypeOf(progress).toEqualTypeOf<(update: ToolProgress) => void>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
        expectTypeOf(idempotencyKey).toEqualTypeOf<string>();
      },
    });
  });

  it('are those after a transform', () => {
    defineTool({
      ...refund,
      input: z.object({ day: z.string().transform((day) => new Date(day)), limit: z.number().default(1) }),
      execute: (input) => expectTypeOf(input).toEqualTypeOf<{ day: Date; limit: number }>(),
    });
  });

  it('flow from any Standard Schema', () => {
    defineTool({
      ...refund,
      input: aStandardSchema({ offersJsonSchema: true }),
      execute: (input) => expectTypeOf(input).toEqualTypeOf<{ orderId: string }>(),
    });
  });

  it('flow from a JSON Schema literal', () => {
    defineTool({
      ...refund,
      input: {
        type: 'object',
        properties: {
          orderId: { type: 'string' },
          amount: { type: ['number', 'null'] },
          currency: { enum: ['EUR', 'USD'] },
          lines: {
            type: 'array',
            items: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
          },
          note: { description: 'anything' },
        },
        required: ['orderId', 'lines'],
      },
      execute: (input) =>
        expectTypeOf(input).toEqualTypeOf<{
          orderId: string;
          lines: { sku: string }[];
          amount?: number | null;
          currency?: 'EUR' | 'USD';
          note?: unknown;
        }>(),
    });
  });

  it('of presets are those of the input', () => {
    defineTool({
      ...refund,
      preset: { amount: 5 },
      execute: (_, { preset }) => expectTypeOf(preset.amount).toExtend<number>(),
    });
    // @ts-expect-error amount is a number
    expect(() => defineTool({ ...refund, preset: { amount: 'five' } })).toThrow(DefinitionError);
  });
});

function containsItself(): object {
  const schema: Record<string, unknown> = { type: 'object' };
  schema['not'] = schema;
  return schema;
}

type OrderSchema = StandardSchemaV1<{ orderId: string }>;

/** What a library other than zod offers. */
function aStandardSchema({ offersJsonSchema }: { offersJsonSchema: boolean }): OrderSchema {
  const toJsonSchema = () => ({ type: 'object', properties: { orderId: { type: 'string' } } });
  const jsonSchema: StandardJSONSchemaV1.Converter = { input: toJsonSchema, output: toJsonSchema };
  return {
    '~standard': {
      version: 1,
      vendor: 'acme-schema',
      validate: (value) => {
        const orderId: unknown = Reflect.get(Object(value), 'orderId');
        return typeof orderId === 'string'
          ? { value: { orderId } }
          : { issues: [{ message: 'expected a string', path: [{ key: 'orderId' }] }] };
      },
      ...(offersJsonSchema ? { jsonSchema } : {}),
    },
  };
}
