import type { PermissionBehavior, PermissionRule, RuleSource } from './permission.ts';

/** Reads `tool` or `tool(pattern)`. @throws RangeError when it is neither. */
export function parseRule(text: string, behavior: PermissionBehavior, source?: RuleSource): PermissionRule {
  const [, tool, , pattern] = /^([A-Za-z0-9_-]{1,64})(\((.+)\))?$/s.exec(text.trim()) ?? [];
  if (tool === undefined)
    throw new RangeError(`"${text}" is no permission rule: write a tool's name, or name(pattern)`);
  return {
    tool,
    ...(pattern === undefined ? {} : { pattern }),
    behavior,
    ...(source === undefined ? {} : { source }),
  };
}

/** The short form that `parseRule` reads. */
export function formatRule({ tool, pattern }: PermissionRule): string {
  return pattern === undefined ? tool : `${tool}(${pattern})`;
}

/**
 * The pattern language of tools that have none of their own: `path=value`, several joined by `&`, all of which must hold. The value is
 * compared with the input's as text, or as JSON: `orderId=1001`, `customer.tier="gold"&amount=5`.
 */
export function matchesInput(input: unknown, pattern: string): boolean {
  return pattern.split('&').every((condition) => {
    const equals = condition.indexOf('=');
    if (equals < 1) return false;
    const value = valueAt(input, condition.slice(0, equals).split('.'));
    const wanted = condition.slice(equals + 1);
    return value !== undefined && (value === wanted || JSON.stringify(value) === wanted);
  });
}

function valueAt(value: unknown, [key, ...rest]: string[]): unknown {
  if (key === undefined) return value;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return valueAt((value as Record<string, unknown>)[key], rest);
}
