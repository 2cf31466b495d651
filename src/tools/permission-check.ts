import type { PermissionBehavior, PermissionDecision } from '../core/permission.ts';
import { PermissionRule } from '../schema/event.ts';
import { describeError } from './tool-errors.ts';
import type { PermissionContext, Tool } from './tool.ts';

const reasons: Record<PermissionBehavior, string> = {
  allow: 'allows every call',
  ask: 'asks before it acts',
  deny: 'denies every call',
};

/**
 * The `permission` of a tool's definition as the engine reads it. A check that throws, or answers something else, denies: it runs after
 * the model call that must not be repeated, so it may not fail.
 */
export function asPermissionCheck(
  toolName: string,
  permission: PermissionBehavior | ((input: never, context: PermissionContext) => unknown) | undefined,
): Tool['checkPermission'] {
  if (permission === undefined) return async () => undefined;
  if (typeof permission !== 'function') {
    return async () => ({ behavior: permission, reason: `${toolName} ${reasons[permission]}` });
  }
  return async (input, context) => {
    try {
      return asDecision(toolName, await permission(input as never, context));
    } catch (error) {
      return {
        behavior: 'deny',
        reason: `the permission check of ${toolName} failed: ${describeError(error)}`,
      };
    }
  };
}

function asDecision(toolName: string, answer: unknown): PermissionDecision | undefined {
  if (answer === undefined) return undefined;
  if (isBehavior(answer)) return { behavior: answer, reason: `${toolName} says ${answer} for this input` };
  if (typeof answer === 'object' && answer !== null && 'behavior' in answer && isBehavior(answer.behavior)) {
    const reason = 'reason' in answer && typeof answer.reason === 'string' ? answer.reason : '';
    return {
      behavior: answer.behavior,
      reason: reason || `${toolName} says ${answer.behavior} for this input`,
      ...('isSafety' in answer && answer.isSafety === true ? { isSafety: true } : {}),
      ...suggestionsOf(answer),
    };
  }
  return {
    behavior: 'deny',
    reason: `the permission check of ${toolName} answered neither allow, ask nor deny`,
  };
}

function suggestionsOf(answer: object): Pick<PermissionDecision, 'suggestedRules'> {
  if (!('suggestedRules' in answer)) return {};
  const rules = PermissionRule.array().safeParse(answer.suggestedRules);
  return rules.success ? { suggestedRules: rules.data } : {};
}

export function isBehavior(value: unknown): value is PermissionBehavior {
  return value === 'allow' || value === 'ask' || value === 'deny';
}
