import { describe, expect, it } from 'vitest';
import { checkAnswers, checkPermissionChange, checkRules } from '../../src/client/check-options.ts';

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
    [
      [{ tool: 'send', patern: 'to=ann', behavior: 'allow' }],
      'addRules[0] is no rule (unknown field patern)',
    ],
    [[{ tool: 'send', pattern: '', behavior: 'allow' }], 'addRules[0] has an empty tool or pattern'],
  ])('refuses %j, and says what to write', (rules, message) => {
    expect(() => checkRules('addRules', rules)).toThrow(message);
    expect(() => checkRules('addRules', rules)).toThrow('write { tool: "refund_order"');
  });
});

describe('checkPermissionChange', () => {
  it('refuses a mode that nobody knows, and names those that there are', () => {
    expect(() => checkPermissionChange({ mode: 'Explore' })).toThrow(
      'mode is "Explore": it must be one of default, explore, accept_edits, dont_ask, bypass',
    );
  });

  it('refuses what it would not read', () => {
    expect(() => checkPermissionChange({ mdoe: 'explore' } as never)).toThrow(
      'unknown field "mdoe": it may have mode, addRules, rules',
    );
  });
});

describe('checkAnswers', () => {
  it('takes no name of an actor that looks like another one’s', () => {
    const check = (actor: string) => checkAnswers('confirm', [{ callId: 'c1' }], actor);
    check('ann');
    for (const actor of ['ann ', ' ', { id: ' ann' }])
      expect(() => check(actor as string)).toThrow('no space');
  });

  it.each([
    ['confirm', { decision: 'allow', input: {}, reason: 'r', remember: [], answer: 'a' }],
    ['external', { state: 'success', content: 'x' }],
    ['reconcile', { outcome: 'happened', content: 'x', reason: 'seen' }],
  ] as const)('takes all that an answer of kind %s may say, and nothing else', (kind, answer) => {
    const known = ['callId', ...Object.keys(answer)].join(', ');
    checkAnswers(kind, [{ callId: 'c1', ...answer }]);
    for (const slip of ['inputs', 'sealed'])
      expect(() => checkAnswers(kind, [{ callId: 'c1', ...answer, [slip]: {} }])).toThrow(
        `results[0] has an unknown field "${slip}": it may have ${known}`,
      );
  });
});
