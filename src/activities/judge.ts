import { readlink } from 'node:fs/promises';
import type { Agent } from '../agents/agent.ts';
import { matchesInput, whyUnreadable } from '../core/permission-rule.ts';
import {
  decidePermission,
  type Coverage,
  type JudgedCall,
  type PermissionBehavior,
  type PermissionFacts,
  type PermissionPolicy,
  type PermissionRule,
} from '../core/permission.ts';
import { scrub, secretTexts } from '../core/redact.ts';
import type { SessionRecord } from '../store/store.ts';
import { isInside, type LinkReader } from '../tools/paths/is-inside.ts';
import { describeError } from '../tools/tool-errors.ts';
import type { Tool } from '../tools/tool.ts';
import { whyNoRule } from './remembered-rules.ts';

/** Links as this machine has them. */
const localLinks: LinkReader = { readLink: (path) => readlink(path).catch(() => undefined) };

/**
 * Decides one call of a tool, and tells nothing of its secrets, though the tool may: reasons and suggestions are shown and kept. A rule that
 * an answer could not add is not suggested. A tool whose own check fails is not run: nobody knows what it would have said.
 */
export async function judge(
  agent: Agent,
  tool: Tool,
  input: unknown,
  session: Pick<SessionRecord, 'ref'>,
  policy: PermissionPolicy,
): Promise<JudgedCall> {
  const { suggestedRules: all, ...judged } = await decide(agent, tool, input, session, policy);
  const suggestedRules = all?.filter((rule) => whyNoRule(rule, tool, agent) === undefined);
  if (!tool.secrets?.length) return { ...judged, ...(suggestedRules ? { suggestedRules } : {}) };
  const raw = JSON.stringify(input) ?? '';
  const { reason, ...decision } = judged;
  // Another pattern would mean other calls, so it is left out, and for short secrets too.
  const isTelling = ({ pattern = '' }: PermissionRule) =>
    spellings(secretTexts(raw, tool.secrets ?? [], 1)).some((secret) => pattern.includes(secret));
  return {
    ...decision,
    reason: scrub(reason, secretsOf(tool, raw)),
    ...(suggestedRules ? { suggestedRules: suggestedRules.filter((rule) => !isTelling(rule)) } : {}),
  };
}

/** The secrets of these arguments, as text and as they are written in JSON, for what a tool says about its own call. */
export function secretsOf({ secrets = [] }: Tool, raw: string): string[] {
  return spellings(secretTexts(raw, secrets));
}

function spellings(texts: readonly string[]): string[] {
  return texts.flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]);
}

async function decide(
  agent: Agent,
  tool: Tool,
  input: unknown,
  session: Pick<SessionRecord, 'ref'>,
  policy: PermissionPolicy,
): Promise<JudgedCall> {
  try {
    if (tool.question) return judgeQuestion(tool, input, policy);
    const check = await tool.checkPermission(input, session.ref);
    const targets = policy.mode === 'accept_edits' ? tool.editTargets?.(input) : undefined;
    const directories = policy.workingDirectories ?? agent.permissions.workingDirectories;
    const isContainedEdit =
      targets !== undefined &&
      targets.length > 0 &&
      (await Promise.all(targets.map((path) => isInside(directories, path, localLinks)))).every(Boolean);
    const decision = decidePermission(
      {
        toolName: tool.name,
        isReadOnly: tool.isReadOnly(input),
        isContainedEdit,
        matches: matcherOf(tool, input),
        boundBy: boundByOf(tool, input),
        isOpaque: tool.isOpaque?.(input) === true,
        coversTogether: (patterns) => tool.coversTogether?.(input, patterns) === true,
        suggestedRules: suggestedRules(tool, input),
        ...(check ? { check } : {}),
      },
      policy,
    );
    return decision.behavior === 'allow' ? decision : withUnreadable(decision, tool, policy);
  } catch (error) {
    return {
      behavior: 'deny',
      reason: `the permission check of ${tool.name} failed (${describeError(error)})`,
      decidedBy: 'tool_check',
    };
  }
}

/** Rules of owners and sessions are made where tools are not known: that one allows nothing is told where it was meant to help. */
function withUnreadable(decision: JudgedCall, tool: Tool, { rules }: PermissionPolicy): JudgedCall {
  if (tool.matchRule) return decision;
  const problem = rules
    .filter((rule) => rule.tool === tool.name)
    .map(whyUnreadable)
    .find(Boolean);
  return problem ? { ...decision, reason: `${decision.reason} (${problem})` } : decision;
}

/** Whether one of these rules would allow the call, so that an answer to another call may settle it. */
export function isCoveredBy(rules: readonly PermissionRule[], tool: Tool, input: unknown): boolean {
  const matches = matcherOf(tool, input);
  return rules.some(
    (rule) =>
      rule.tool === tool.name &&
      rule.behavior === 'allow' &&
      (rule.pattern === undefined || matches(rule.pattern, 'allow')),
  );
}

/** A question changes nothing, so every mode lets it be asked, where somebody is there. */
function judgeQuestion(tool: Tool, input: unknown, policy: PermissionPolicy): JudgedCall {
  const facts: PermissionFacts = { toolName: tool.name, isReadOnly: true, matches: matcherOf(tool, input) };
  const decision = decidePermission(facts, policy);
  if (decision.behavior === 'deny') return decision;
  if (policy.mode === 'dont_ask')
    return {
      behavior: 'deny',
      reason: 'nobody is there to be asked: decide by yourself, or leave it',
      decidedBy: 'mode',
    };
  return {
    behavior: 'ask',
    reason: tool.question?.(input).question ?? '',
    isSafety: true,
    decidedBy: 'tool_check',
  };
}

/** A denial that no person can lift: a rule's, or the tool's own. */
export function isFinal({ behavior, decidedBy }: JudgedCall): boolean {
  return behavior === 'deny' && (decidedBy === 'deny_rule' || decidedBy === 'tool_check');
}

/** A suggestion that would not cover its own call says something else than it means: it is left out. */
function suggestedRules(tool: Tool, input: unknown): PermissionRule[] {
  const suggested = tool.suggestRules?.(input) ?? [{ tool: tool.name, behavior: 'allow' as const }];
  return suggested.filter((rule) => isCoveredBy([rule], tool, input) || toolOfSeveralParts(tool, rule));
}

/** One rule of several that are needed together covers a part alone. */
function toolOfSeveralParts(tool: Tool, rule: PermissionRule): boolean {
  return tool.coversTogether !== undefined && rule.tool === tool.name;
}

function boundByOf({ boundBy = {} }: Tool, input: unknown): NonNullable<PermissionFacts['boundBy']> {
  const careful = (covers: () => Coverage) => {
    try {
      return covers();
    } catch {
      return true;
    }
  };
  return Object.fromEntries(
    Object.entries(boundBy).map(([tool, covers]) => [
      tool,
      (pattern: string, behavior: PermissionBehavior) => careful(() => covers(input, pattern, behavior)),
    ]),
  );
}

/** A matcher that fails counts as the careful answer: a deny or an ask rule covers, an allow rule does not. */
function matcherOf(tool: Tool, input: unknown) {
  return (pattern: string, behavior: PermissionBehavior): boolean => {
    try {
      return tool.matchRule ? tool.matchRule(input, pattern, behavior) : matchesInput(input, pattern);
    } catch {
      return behavior !== 'allow';
    }
  };
}
