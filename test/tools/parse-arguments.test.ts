import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/tools/define-tool.ts';
import { checkArguments, parseArguments } from '../../src/tools/parse-arguments.ts';
import { aTool } from './a-tool.ts';

const refund = defineTool({
  name: 'refund_order',
  description: 'Refund an order',
  input: z.object({ orderId: z.string(), amount: z.number() }),
  execute: () => 'ok',
});
const listOrders = defineTool({
  name: 'list_orders',
  description: 'List orders',
  input: z.object({ limit: z.number().default(10) }),
  execute: () => [],
});

async function refusal(raw: string, tool = refund): Promise<string> {
  const parsed = await parseArguments(raw, tool);
  if (parsed.ok) throw new Error('the arguments were accepted');
  return parsed.message;
}

describe('parseArguments', () => {
  it('gives the checked input', async () => {
    expect(await parseArguments('{"orderId":"1001","amount":5}', refund)).toEqual({
      ok: true,
      input: { orderId: '1001', amount: 5 },
    });
  });

  it.each(['{"orderId":"1001","amou', '{"orderId":"1001","amount":', '{"orderId":"10', '{'])(
    'never repairs the cut off %s, and says that it is cut off',
    async (raw) => {
      const message = await refusal(raw);
      expect(message).toContain('refund_order was not run: its arguments are not valid JSON');
      expect(message).toContain(`They stop after ${raw.length} characters`);
    },
  );

  it.each(["{'orderId':'1'}", '{"orderId":"1",}', '{orderId:1}', '```json\n{}\n```', '{}{}'])(
    'never repairs the broken %s',
    async (raw) => {
      expect(await refusal(raw)).toContain('are not valid JSON');
    },
  );

  it('takes no text at all for no arguments, where none are required', async () => {
    expect(await parseArguments(' ', listOrders)).toEqual({ ok: true, input: { limit: 10 } });
    expect(await refusal('')).toContain('- orderId is missing');
  });

  it.each([
    ['null', 'not null'],
    ['[]', 'not an array'],
    ['7', 'not a number'],
    [String.raw`"{\"orderId\":\"1\"}"`, 'not a string that holds JSON'],
  ])('takes one object, not %s', async (raw, found) => {
    expect(await refusal(raw)).toContain(`must be one JSON object, ${found}`);
  });

  it('tells the model each path and what to mend', async () => {
    const message = await refusal('{"amount":"five"}');
    expect(message).toContain("don't fit its schema:\n- orderId is missing");
    expect(message).toContain('- amount: Invalid input: expected number, received string');
    expect(message).toContain('call refund_order again');
  });

  it('refuses numbers that would be rounded in silence', async () => {
    expect(await refusal('{"orderId":"1","amount":12345678901234567890}')).toContain(
      'the number 12345678901234567890 of "amount" is too large to be exact',
    );
    expect(await refusal('{"orderId":"1","amount":1e999}')).toContain('too large to be exact');
  });

  it('leaves out __proto__', async () => {
    const anything = aTool();
    const parsed = await parseArguments(
      '{"__proto__":{"isAdmin":true},"a":{"__proto__":{"isAdmin":true}}}',
      anything,
    );
    expect(parsed).toEqual({ ok: true, input: { a: {} } });
    expect(Object.hasOwn((parsed as { input: object }).input, '__proto__')).toBe(false);
  });

  it('applies presets before it checks', async () => {
    const tool = defineTool({
      name: 'find',
      description: 'Find',
      input: z.object({ region: z.enum(['eu', 'us']), id: z.string() }),
      preset: { region: 'eu' },
      execute: () => 'ok',
    });
    expect(await parseArguments('{"id":"1","region":"mars"}', tool)).toEqual({
      ok: true,
      input: { region: 'eu', id: '1' },
    });
  });

  it('survives a check that throws, and JSON that is nested too deep', async () => {
    const throwing = aTool({ validate: () => Promise.reject(new Error('catalog offline')) });
    expect(await refusal('{}', throwing)).toContain('could not be checked: catalog offline');
    expect(await refusal('['.repeat(200_000))).toContain('was not run');
  });

  it('names at most twenty faults', async () => {
    const tool = defineTool({
      name: 'sum',
      description: 'Sum',
      input: z.object({ values: z.array(z.number()) }),
      execute: () => 0,
    });
    const message = await refusal(JSON.stringify({ values: Array.from({ length: 500 }, () => 'x') }), tool);
    expect(message).toContain('values[19]');
    expect(message).toContain('- and 480 more');
  });
});

describe('checkArguments', () => {
  it('checks what a person edited as it checks what a model wrote', async () => {
    expect(await checkArguments({ orderId: '1', amount: 2 }, refund)).toMatchObject({ ok: true });
    expect(await checkArguments('1', refund)).toMatchObject({ ok: false });
  });
});
