import type { PermissionRule } from '../api/types.ts';

/** `tool` or `tool(pattern)`, as rules are written. */
export function ruleText({ tool, pattern }: PermissionRule): string {
  return pattern === undefined ? tool : `${tool}(${pattern})`;
}
