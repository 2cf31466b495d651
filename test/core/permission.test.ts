import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decidePermission,
  type PermissionDecision,
  type PermissionFacts,
  type PermissionMode,
  type PermissionRule,
} from '../../src/core/permission.ts';

/** The kinds of tools, as the facts that they state about a call. */
const tools: Record<string, Partial<PermissionFacts>> = {
  'read-only': { isReadOnly: true },
  plain: {},
  'edit inside': { isContainedEdit: true },
  'check allows': { check: { behavior: 'allow', reason: 'harmless' } },
  'check asks': { check: { behavior: 'ask', reason: 'look at it' } },
  'safety asks': { check: { behavior: 'ask', reason: 'dangerous', isSafety: true } },
  'check denies': { check: { behavior: 'deny', reason: 'never' } },
};

/** Every cell stated: for each mode, what becomes of a call of each kind under each rule. */
const table: Record<PermissionMode, string> = {
  default: `
    rule  | read-only | plain | edit inside | check allows | check asks | safety asks | check denies
    none  | allow     | ask   | ask         | allow        | ask        | ask         | deny
    allow | allow     | allow | allow       | allow        | allow      | ask         | deny
    ask   | ask       | ask   | ask         | ask          | ask        | ask         | ask
    deny  | deny      | deny  | deny        | deny         | deny       | deny        | deny`,
  explore: `
    rule  | read-only | plain | edit inside | check allows | check asks | safety asks | check denies
    none  | allow     | deny  | deny        | deny         | deny       | deny        | deny
    allow | allow     | deny  | deny        | deny         | deny       | deny        | deny
    ask   | ask       | ask   | ask         | ask          | ask        | ask         | ask
    deny  | deny      | deny  | deny        | deny         | deny       | deny        | deny`,
  accept_edits: `
    rule  | read-only | plain | edit inside | check allows | check asks | safety asks | check denies
    none  | allow     | ask   | allow       | allow        | ask        | ask         | deny
    allow | allow     | allow | allow       | allow        | allow      | ask         | deny
    ask   | ask       | ask   | ask         | ask          | ask        | ask         | ask
    deny  | deny      | deny  | deny        | deny         | deny       | deny        | deny`,
  dont_ask: `
    rule  | read-only | plain | edit inside | check allows | check asks | safety asks | check denies
    none  | allow     | deny  | deny        | allow        | deny       | deny        | deny
    allow | allow     | allow | allow       | allow        | allow      | deny        | deny
    ask   | deny      | deny  | deny        | deny         | deny       | deny        | deny
    deny  | deny      | deny  | deny        | deny         | deny       | deny        | deny`,
  bypass: `
    rule  | read-only | plain | edit inside | check allows | check asks | safety asks | check denies
    none  | allow     | allow | allow       | allow        | allow      | allow       | deny
    allow | allow     | allow | allow       | allow        | allow      | allow       | deny
    ask   | ask       | ask   | ask         | ask          | ask        | ask         | ask
    deny  | deny      | deny  | deny        | deny         | deny       | deny        | deny`,
};

function cells(mode: PermissionMode) {
  const [header, ...rows] = table[mode]
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
  return rows.flatMap(([rule = '', ...verdicts]) =>
    verdicts.map((verdict, i) => ({ mode, rule, tool: header?.[i + 1] ?? '', verdict })),
  );
}

function facts(more: Partial<PermissionFacts> = {}): PermissionFacts {
  return { toolName: 'tool', isReadOnly: false, matches: (pattern) => pattern === 'covered', ...more };
}

describe('decidePermission', () => {
  it('allows nothing but reading in a mode that nobody knows', () => {
    const policy = (behavior: 'allow' | 'ask') => ({
      mode: 'Explore' as PermissionMode,
      rules: [{ tool: 'tool', behavior }],
    });
    expect(decidePermission(facts({ isReadOnly: true }), policy('allow')).behavior).toBe('allow');
    for (const more of Object.values(tools))
      if (!more.isReadOnly) expect(decidePermission(facts(more), policy('allow')).behavior).toBe('deny');
    expect(decidePermission(facts(), policy('ask')).behavior).toBe('ask');
  });

  const all = (Object.keys(table) as PermissionMode[]).flatMap(cells);
  it.each(all)('$mode, rule $rule, tool $tool → $verdict', ({ mode, rule, tool, verdict }) => {
    const rules: PermissionRule[] = rule === 'none' ? [] : [{ tool: 'tool', behavior: rule as 'allow' }];
    expect(decidePermission(facts(tools[tool]), { mode, rules }).behavior).toBe(verdict);
  });

  it('reads a rule for its own tool only, and one with a pattern where the tool says that it covers', () => {
    const decide = (rule: PermissionRule) =>
      decidePermission(facts(), { mode: 'default', rules: [rule] }).behavior;
    expect(decide({ tool: 'tool', pattern: 'covered', behavior: 'allow' })).toBe('allow');
    expect(decide({ tool: 'tool', pattern: 'other', behavior: 'allow' })).toBe('ask');
    expect(decide({ tool: 'other', behavior: 'allow' })).toBe('ask');
  });

  it('asks where a deny rule of another tool may cover the call, in every mode, whatever is allowed', () => {
    const decide = (mode: PermissionMode, coverage: boolean | 'maybe', isReadOnly = false) =>
      decidePermission(facts({ isReadOnly, boundBy: { other: () => coverage } }), {
        mode,
        rules: [
          { tool: 'tool', behavior: 'allow' },
          { tool: 'other', pattern: 'p', behavior: 'deny' },
        ],
      });
    for (const mode of ['default', 'accept_edits', 'bypass'] as const) {
      expect(decide(mode, 'maybe')).toMatchObject({
        behavior: 'ask',
        isSafety: true,
        decidedBy: 'deny_rule',
      });
      expect(decide(mode, 'maybe', true).behavior).toBe('ask');
      expect(decide(mode, false).behavior).toBe('allow');
    }
    for (const mode of ['dont_ask', 'explore'] as const)
      expect(decide(mode, 'maybe', true)).toMatchObject({ behavior: 'deny', decidedBy: 'mode' });
  });

  it('holds a tool to the deny and ask rules of another that reaches the same, where their pattern covers the call', () => {
    const boundBy = { other: (pattern: string) => pattern === 'covered' };
    const decide = (rule: Partial<PermissionRule>) =>
      decidePermission(facts({ isReadOnly: true, boundBy }), {
        mode: 'bypass',
        rules: [{ tool: 'other', pattern: 'covered', behavior: 'deny', ...rule }],
      });
    expect(decide({})).toMatchObject({
      behavior: 'deny',
      reason: expect.stringContaining('deny other(covered)'),
    });
    expect(decide({ behavior: 'ask' }).behavior).toBe('ask');
    for (const rule of [{ pattern: 'not' }, { behavior: 'allow' as const }, { tool: 'third' }])
      expect(decide(rule).behavior).toBe('allow');
    const whole = { mode: 'bypass' as const, rules: [{ tool: 'other', behavior: 'deny' as const }] };
    expect(decidePermission(facts({ boundBy }), whole).behavior).toBe('allow');
  });

  it('lets a tool’s own deny, and its ask for safety’s sake, hold for calls that only read', () => {
    const decide = (check: PermissionDecision) =>
      decidePermission(facts({ isReadOnly: true, check }), { mode: 'default', rules: [] }).behavior;
    expect(decide({ behavior: 'deny', reason: 'never' })).toBe('deny');
    expect(decide({ behavior: 'ask', reason: 'shows keys', isSafety: true })).toBe('ask');
    expect(decide({ behavior: 'ask', reason: 'look at it' })).toBe('allow');
  });

  it('names the rule that decided, and where it comes from', () => {
    const rule: PermissionRule = { tool: 'tool', behavior: 'deny', source: 'owner' };
    expect(decidePermission(facts(), { mode: 'default', rules: [rule] })).toMatchObject({
      decidedBy: 'deny_rule',
      rule,
      reason: "the owner's rule deny tool denies it",
    });
  });

  it('keeps the suggestions of what it denies because nobody is there to be asked', () => {
    const suggestedRules: PermissionRule[] = [{ tool: 'tool', pattern: 'covered', behavior: 'allow' }];
    expect(decidePermission(facts({ suggestedRules }), { mode: 'dont_ask', rules: [] })).toMatchObject({
      behavior: 'deny',
      suggestedRules,
    });
  });

  it('never lets an allow rule, whatever its pattern or source, open what a deny rule closes', () => {
    const anyRule = fc.record({
      tool: fc.constantFrom('tool', 'other'),
      pattern: fc.constantFrom('covered', 'not'),
      behavior: fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const),
    });
    const anyCheck = fc.option(
      fc.record({
        behavior: fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const),
        reason: fc.constant('r'),
        isSafety: fc.boolean(),
      }) as fc.Arbitrary<PermissionDecision>,
      { nil: undefined },
    );
    const mode = fc.constantFrom<PermissionMode>('default', 'explore', 'accept_edits', 'dont_ask', 'bypass');
    fc.assert(
      fc.property(fc.array(anyRule), anyCheck, mode, fc.boolean(), (rules, check, mode, isReadOnly) => {
        const decision = decidePermission(facts({ isReadOnly, ...(check ? { check } : {}) }), {
          mode,
          rules,
        });
        const holds = (behavior: string) =>
          rules.some(
            (rule) => rule.tool === 'tool' && rule.pattern === 'covered' && rule.behavior === behavior,
          );
        if (holds('deny')) expect(decision.behavior).toBe('deny');
        else if (holds('ask')) expect(decision.behavior).toBe(mode === 'dont_ask' ? 'deny' : 'ask');
        if (mode === 'dont_ask') expect(decision.behavior).not.toBe('ask');
        if (decision.behavior === 'ask') expect(decision.reason).not.toBe('');
      }),
    );
  });
});
