import { describe, expect, it } from 'vitest';
import { nearestNames } from '../../src/tools/nearest-names.ts';
import { unknownTool } from '../../src/tools/tool-errors.ts';

describe('nearestNames', () => {
  const known = ['refund_order', 'find_order', 'list_refunds', 'stock'];

  it.each([
    ['refund_ordr', ['refund_order']],
    ['refundOrder', ['refund_order']],
    ['REFUND-ORDER', ['refund_order']],
    ['find_orders', ['find_order']],
    ['find_refunds', ['list_refunds']],
    ['stock_levels', ['stock']],
    ['send_mail', []],
    ['', []],
  ])('of %j are %j', (name, nearest) => {
    expect(nearestNames(name, known)).toEqual(nearest);
  });
});

describe('unknownTool', () => {
  it('names the nearest tool and all others', () => {
    expect(unknownTool('refnd_order', ['refund_order', 'stock'])).toBe(
      'There is no tool "refnd_order". Did you mean refund_order? The tools are: refund_order, stock.',
    );
  });

  it('stays short, however long the name and the list', () => {
    const names = Array.from({ length: 500 }, (_, i) => `tool_${i}`);
    const message = unknownTool('x'.repeat(10_000), names);
    expect(message.length).toBeLessThan(1_000);
    expect(message).toContain('and 450 more');
  });

  it('says so when there is none', () => {
    expect(unknownTool('stock', [])).toContain('answer without tools');
  });
});
