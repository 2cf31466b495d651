import { describe, expect, it } from 'vitest';
import { checkRules } from '../../src/client/check-options.ts';

describe('checkRules', () => {
  it('takes rules', () => {
    checkRules('rules', [
      { tool: 'send', behavior: 'ask' },
      { tool: 'send', pattern: 'to=ann', behavior: 'allow' },
    ]);
  });

  it.each([
    ['send', 'addRules is no rule'],
    [['send'], 'addRules[0] is no rule'],
    [[{ tool: 'send' }], 'addRules[0][behavior] is no rule'],
    [[{ tool: 'send', behavior: 'permit' }], 'addRules[0][behavior] is no rule'],
    [[{ tool: 'send', pattern: '', behavior: 'allow' }], 'addRules[0] has an empty tool or pattern'],
  ])('refuses %j, and says what to write', (rules, message) => {
    expect(() => checkRules('addRules', rules)).toThrow(message);
    expect(() => checkRules('addRules', rules)).toThrow('write { tool: "refund_order"');
  });
});
