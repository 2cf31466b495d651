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
 * compared with the input's as text, or as JSON whatever its spelling: `orderId=1001`, `customer.tier="gold"&amount=5`. A value with `&`
 * in it is written as a JSON string.
 *
 * @throws RangeError for a pattern that is not of this language: what it means to cover is unknown.
 */
export function matchesInput(input: unknown, pattern: string): boolean {
  return conditionsOf(pattern).every((condition) => isValue(valueAt(input, condition.path), condition));
}

/**
 * Why an allow rule for a tool without a pattern language of its own allows nothing; undefined when its pattern can be read. Deny and ask
 * rules that can't be read cover every call, so they need no check.
 */
export function whyUnreadable(rule: PermissionRule): string | undefined {
  if (rule.behavior !== 'allow' || rule.pattern === undefined) return undefined;
  try {
    conditionsOf(rule.pattern);
    return undefined;
  } catch {
    return `the rule ${formatRule(rule)} would allow nothing: ${rule.tool} reads no patterns of its own (matchRule), so write path=value, several joined by &, as in ${rule.tool}(orderId=1001), or ${rule.tool} alone for every call`;
  }
}

/** The value at this path is this text, or this JSON. */
interface Condition {
  path: string[];
  text: string;
  json: unknown;
}

/** A rule is held against every call: its pattern is read once. */
const known = new Map<string, Condition[]>();
const knownLimit = 5000;

function conditionsOf(pattern: string): Condition[] {
  let conditions = known.get(pattern);
  if (!conditions) {
    conditions = readPattern(pattern);
    if (known.size >= knownLimit) known.clear();
    known.set(pattern, conditions);
  }
  return conditions;
}

/** `path=` and a JSON string, or text up to the next `&`. */
const conditionPattern = /[^=&]+=(?:"(?:[^"\\]|\\.)*"(?=&|$)|[^&]*)/g;

function readPattern(pattern: string): Condition[] {
  const conditions = pattern.match(conditionPattern) ?? [];
  if (pattern === '' || conditions.join('&') !== pattern)
    throw new RangeError(`"${pattern}" is no pattern: write path=value, several joined by &`);
  return conditions.map((condition) => {
    const equals = condition.indexOf('=');
    const text = condition.slice(equals + 1);
    return { path: condition.slice(0, equals).split('.'), text, json: jsonOf(text) };
  });
}

/** Undefined, which no value is, where the text is none. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function valueAt(input: unknown, path: readonly string[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function isValue(value: unknown, { text, json }: Condition): boolean {
  return value !== undefined && (value === text || (json !== undefined && isSameJson(value, json)));
}

/** Keys in any order: a model that writes them in another must not slip past a deny rule. */
function isSameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const [keys, others] = [Object.keys(a), Object.keys(b)];
  return (
    Array.isArray(a) === Array.isArray(b) &&
    keys.length === others.length &&
    keys.every(
      (key) =>
        Object.hasOwn(b, key) &&
        isSameJson((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
    )
  );
}
