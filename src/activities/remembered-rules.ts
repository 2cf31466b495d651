import type { Agent } from '../agents/agent.ts';
import type { GateAnswer } from '../contracts/activities.ts';
import { isOneAnswerEnough } from '../core/approval.ts';
import { whyUnreadable } from '../core/permission-rule.ts';
import type { PermissionRule } from '../core/permission.ts';
import { GivenRule } from '../schema/event.ts';
import type { CallRecord } from '../store/call-store.ts';
import type { Tool } from '../tools/tool.ts';

/** Why an answer to a gate of this tool may not add these rules to the session; undefined when it may. */
export function whyNoRules(rules: unknown, gated: Tool, agent: Agent): string | undefined {
  const parsed = GivenRule.array().safeParse(rules);
  if (!parsed.success)
    return `remember must be a list of rules such as {"tool": "…", "behavior": "allow"}: ${parsed.error.issues[0]?.message}`;
  return parsed.data.map((rule) => whyNoRule(rule, gated, agent)).find((why) => why !== undefined);
}

/** A rule opens what its own gate guards and nothing else, and never a gate that one person alone may not open. */
export function whyNoRule(rule: PermissionRule, gated: Tool, agent: Agent): string | undefined {
  if (rule.behavior === 'allow') {
    if (rule.tool !== gated.name)
      return `remember may allow ${gated.name}, which was asked for, and not ${rule.tool}`;
    if (!isOneAnswerEnough(gated.approval ?? agent.permissions.approval))
      return `${gated.name} has an approval policy: each call needs its answer, and none can be remembered`;
    const unreadable = gated.matchRule ? undefined : whyUnreadable(rule);
    if (unreadable !== undefined) return `remember can't be kept: ${unreadable}`;
  }
  return agent.toolByName.has(rule.tool)
    ? undefined
    : `remember names ${rule.tool}, which is no tool of ${agent.name}`;
}

/** The rules of all who allowed these arguments, with who wants each and since when: they hold from the last answer that was needed. */
export function rulesToRemember(
  { answer, actor }: Extract<GateAnswer, { kind: 'confirm' }>,
  { votes = [] }: CallRecord,
  shown: string,
): PermissionRule[] {
  const at = new Date().toISOString();
  const agreeing = votes.filter((vote) => vote.arguments === shown && vote.actor !== actor?.id);
  return [...agreeing, { actor: actor?.id, remember: answer.remember }].flatMap((vote) =>
    (vote.remember ?? []).map(({ tool, pattern, behavior }) => ({
      tool,
      ...(pattern === undefined ? {} : { pattern }),
      behavior,
      source: 'confirmation' as const,
      ...(vote.actor === undefined ? {} : { by: vote.actor }),
      at,
    })),
  );
}
