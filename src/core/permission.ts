/** What is decided about a call before it runs. `ask` opens a gate. */
export type PermissionBehavior = 'allow' | 'ask' | 'deny';

/** Where a rule comes from, for a person to see why something was decided. */
export type RuleSource = 'agent' | 'owner' | 'session' | 'confirmation';

/** Without a `pattern` it covers every call of the tool; with one, those that the tool's own matching says it covers. */
export interface PermissionRule {
  tool: string;
  pattern?: string;
  behavior: PermissionBehavior;
  source?: RuleSource;
  /** Who remembered it at a gate, and when: an ISO time. */
  by?: string;
  at?: string;
}

/**
 * - `default`: what nothing allows is asked.
 * - `explore`: only what reads; allow rules open nothing.
 * - `accept_edits`: edits whose every target lies in a working directory pass.
 * - `dont_ask`: what would be asked is denied, for unattended runs.
 * - `bypass`: only deny rules, ask rules and a tool's own deny hold, for sandboxes.
 */
export type PermissionMode = (typeof permissionModes)[number];

export const permissionModes = ['default', 'explore', 'accept_edits', 'dont_ask', 'bypass'] as const;

export function isPermissionMode(value: unknown): value is PermissionMode {
  return permissionModes.some((mode) => mode === value);
}

export interface PermissionDecision {
  behavior: PermissionBehavior;
  /** A sentence that a person can judge by. */
  reason: string;
  /** An ask that no allow rule may grant away. */
  isSafety?: boolean;
  /** Rules that would settle calls like this one, narrowest first. */
  suggestedRules?: PermissionRule[];
}

/** What decided: for the audit. */
export type DecidedBy =
  'deny_rule' | 'ask_rule' | 'read_only' | 'tool_check' | 'allow_rule' | 'mode' | 'default';

export interface JudgedCall extends PermissionDecision {
  decidedBy: DecidedBy;
  /** The rule that decided, when one did. */
  rule?: PermissionRule;
}

/** Whether a pattern covers a call; `maybe` where that is known only when it runs. */
export type Coverage = boolean | 'maybe';

/** What the engine knows of a call: facts that its tool states about this input. */
export interface PermissionFacts {
  toolName: string;
  isReadOnly: boolean;
  /** Edits only, and every target lies in a working directory. */
  isContainedEdit?: boolean;
  /** The tool's own verdict on this input; absent when it has none. */
  check?: PermissionDecision;
  /** Whether a pattern of a rule of this behavior covers this input. */
  matches(pattern: string, behavior: PermissionBehavior): boolean;
  /** Other tools whose deny and ask rules with a pattern bind this one: by name, whether such a pattern covers this input. */
  boundBy?: Readonly<Record<string, (pattern: string, behavior: PermissionBehavior) => Coverage>>;
  /** What it would do is known only when it runs: that no deny rule's pattern covers it means little. */
  isOpaque?: boolean;
  /** Whether several allow rules' patterns together cover this input, where none does alone. */
  coversTogether?(patterns: readonly string[]): boolean;
  suggestedRules?: readonly PermissionRule[];
}

export interface PermissionPolicy {
  mode: PermissionMode;
  rules: readonly PermissionRule[];
  /** Where edits pass in mode `accept_edits`; absent: as the agent says. */
  workingDirectories?: readonly string[];
  /** Why nothing may change anything, whoever approves it: a sentence. */
  closedBecause?: string;
}

/**
 * Decides a call: deny rules, what closed the session, ask rules, the read-only pass, the tool's own check, allow rules, and then the mode's last word.
 * Total and pure.
 */
export function decidePermission(facts: PermissionFacts, policy: PermissionPolicy): JudgedCall {
  const { mode } = policy;
  const asked = (decision: JudgedCall) => (mode === 'dont_ask' ? unattended(decision) : decision);
  const suggestions = suggestionsOf(facts);

  const denied = ruleOf(facts, policy, 'deny') ?? foreignRule(facts, policy, 'deny', [true]);
  if (denied)
    return {
      behavior: 'deny',
      reason: `${describeRule(denied)} denies it`,
      decidedBy: 'deny_rule',
      rule: denied,
    };
  if (policy.closedBecause !== undefined && !facts.isReadOnly)
    return { behavior: 'deny', reason: policy.closedBecause, decidedBy: 'deny_rule' };
  const asking = ruleOf(facts, policy, 'ask') ?? foreignRule(facts, policy, 'ask', [true, 'maybe']);
  if (asking)
    return asked({
      behavior: 'ask',
      reason: `${describeRule(asking)} wants a person to decide`,
      decidedBy: 'ask_rule',
      rule: asking,
      ...suggestions,
    });
  const unsure = foreignRule(facts, policy, 'deny', ['maybe']);
  if (facts.isReadOnly && !holdsAnyway(facts.check) && !unsure)
    return { behavior: 'allow', reason: `${facts.toolName} only reads`, decidedBy: 'read_only' };
  if (facts.check?.behavior === 'deny') return { ...facts.check, decidedBy: 'tool_check' };
  if (mode === 'explore')
    return {
      behavior: 'deny',
      reason: unsure ? whyUnsure(unsure) : 'in explore mode nothing may change anything',
      decidedBy: 'mode',
    };
  if (!isPermissionMode(mode))
    return {
      behavior: 'deny',
      reason: `nobody knows what the mode ${String(mode)} allows`,
      decidedBy: 'mode',
    };

  // The rule holds in every mode, and no allow rule grants it away.
  if (unsure)
    return asked({
      behavior: 'ask',
      reason: whyUnsure(unsure),
      isSafety: true,
      decidedBy: 'deny_rule',
      rule: unsure,
    });
  const { check } = facts;
  if (check && check.behavior !== 'ask') return { ...check, decidedBy: 'tool_check' };
  if (check?.isSafety && mode !== 'bypass')
    return asked({ ...suggestions, ...check, decidedBy: 'tool_check' });
  if (mode === 'accept_edits' && facts.isContainedEdit)
    return { behavior: 'allow', reason: 'it edits only inside the working directories', decidedBy: 'mode' };

  const allowed = ruleOf(facts, policy, 'allow');
  if (allowed)
    return {
      behavior: 'allow',
      reason: `${describeRule(allowed)} allows it`,
      decidedBy: 'allow_rule',
      rule: allowed,
    };
  if (isAllowedTogether(facts, policy))
    return { behavior: 'allow', reason: 'several allow rules cover it together', decidedBy: 'allow_rule' };
  if (mode === 'bypass' && facts.isOpaque && mayEscape(facts, policy))
    return {
      behavior: 'ask',
      reason: 'what it does is known only when it runs, and rules forbid some of it',
      decidedBy: 'mode',
    };
  if (mode === 'bypass') return { behavior: 'allow', reason: 'bypass mode asks nobody', decidedBy: 'mode' };
  if (check) return asked({ ...suggestions, ...check, decidedBy: 'tool_check' });
  return asked({
    behavior: 'ask',
    reason: `${facts.toolName} may change something, and no rule allows it`,
    decidedBy: 'default',
    ...suggestions,
  });
}

export function describeRule(rule: PermissionRule): string {
  const pattern = rule.pattern === undefined ? '' : `(${rule.pattern})`;
  const remembered = rule.by === undefined ? '' : `, which ${rule.by} remembered,`;
  return `the ${rule.source ?? 'agent'}'s rule ${rule.behavior} ${rule.tool}${pattern}${remembered}`;
}

function whyUnsure(rule: PermissionRule): string {
  return `${describeRule(rule)} may cover some of what it reaches, which is known only when it runs`;
}

/** Nobody is there to be asked: what would be asked is denied, and the suggestions stay for whoever reads it later. */
function unattended(decision: JudgedCall): JudgedCall {
  const { isSafety: _, ...rest } = decision;
  return {
    ...rest,
    behavior: 'deny',
    reason: `${decision.reason}; in dont_ask mode nobody is asked`,
    decidedBy: 'mode',
  };
}

function ruleOf(facts: PermissionFacts, policy: PermissionPolicy, behavior: PermissionBehavior) {
  return rulesOf(policy, facts.toolName)[behavior].find(
    ({ pattern }) => pattern === undefined || facts.matches(pattern, behavior),
  );
}

/** A rule of another tool that reaches the same. One without a pattern is about that tool alone. */
function foreignRule(
  { boundBy = {} }: PermissionFacts,
  policy: PermissionPolicy,
  behavior: 'deny' | 'ask',
  wanted: readonly Coverage[],
) {
  for (const [tool, covers] of Object.entries(boundBy)) {
    const rule = rulesOf(policy, tool)[behavior].find(
      ({ pattern }) => pattern !== undefined && wanted.includes(covers(pattern, behavior)),
    );
    if (rule) return rule;
  }
  return undefined;
}

/** Patterns of the deny rules that bind a tool: its own, and those of the tools that it is bound by. */
export function deniedPatterns(
  { name, boundBy = {} }: { name: string; boundBy?: Readonly<Record<string, unknown>> },
  policy: PermissionPolicy,
): string[] {
  return [name, ...Object.keys(boundBy)].flatMap((tool) =>
    rulesOf(policy, tool).deny.flatMap(({ pattern }) => pattern ?? []),
  );
}

type RulesOfTool = Record<PermissionBehavior, PermissionRule[]>;

/** Rules by tool, made once for a list of rules: most of a long list is about other tools. */
const indexes = new WeakMap<readonly PermissionRule[], Map<string, RulesOfTool>>();

function rulesOf({ rules }: PermissionPolicy, toolName: string): RulesOfTool {
  let index = indexes.get(rules);
  if (!index) {
    index = new Map();
    for (const rule of rules) {
      const ofTool = index.get(rule.tool) ?? { deny: [], ask: [], allow: [] };
      ofTool[rule.behavior].push(rule);
      index.set(rule.tool, ofTool);
    }
    indexes.set(rules, index);
  }
  return index.get(toolName) ?? noRules;
}

const noRules: RulesOfTool = { deny: [], ask: [], allow: [] };

function mayEscape(facts: PermissionFacts, policy: PermissionPolicy): boolean {
  const { deny, ask } = rulesOf(policy, facts.toolName);
  return [...deny, ...ask].some(({ pattern }) => pattern !== undefined);
}

/** A tool that denies a call, or asks for safety's sake, means it even where the call only reads: reading may be what it guards. */
function holdsAnyway(check: PermissionDecision | undefined): boolean {
  return check?.behavior === 'deny' || check?.isSafety === true;
}

function isAllowedTogether(facts: PermissionFacts, policy: PermissionPolicy): boolean {
  const { allow } = rulesOf(policy, facts.toolName);
  const patterns = allow.flatMap(({ pattern }) => (pattern === undefined ? [] : [pattern]));
  return patterns.length > 1 && facts.coversTogether?.(patterns) === true;
}

function suggestionsOf(facts: PermissionFacts): Pick<PermissionDecision, 'suggestedRules'> {
  return facts.suggestedRules ? { suggestedRules: [...facts.suggestedRules] } : {};
}
