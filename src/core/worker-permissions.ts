import type { PermissionMode, PermissionRule } from './permission.ts';

/** What of its leader's permissions a template lets its workers have, besides what narrows them, which they always have. */
export interface Inheritance {
  /** The leader's allow rules: all, or those of these tools. Default: none. */
  allow?: boolean | readonly string[];
  /** The leader's working directories. Default: those of the template that lie in the leader's. */
  workingDirectories?: boolean;
}

export interface Grants {
  mode: PermissionMode;
  rules: readonly PermissionRule[];
  workingDirectories: readonly string[];
}

/** From the narrowest to the widest. */
const modes: readonly PermissionMode[] = ['explore', 'dont_ask', 'default', 'accept_edits', 'bypass'];

/**
 * A worker's permissions: its template's, narrowed by its leader's. The mode is the narrower one; the leader's deny and ask rules hold for
 * the worker too; its allow rules only as far as the template says; directories only where both have them. So a leader can't do through a
 * worker what it may not do itself, and a worker gets nothing that its template does not foresee.
 */
export function workerPermissions(template: Grants, leader: Grants, inherit: Inheritance): Grants {
  return {
    mode: narrower(template.mode, leader.mode),
    rules: [...template.rules, ...leader.rules.filter((rule) => isInherited(rule, inherit))],
    workingDirectories: inherit.workingDirectories
      ? leader.workingDirectories
      : template.workingDirectories.flatMap((own) => commonParts(own, leader.workingDirectories)),
  };
}

export function narrower(one: PermissionMode, other: PermissionMode): PermissionMode {
  return modes.indexOf(one) <= modes.indexOf(other) ? one : other;
}

function isInherited({ behavior, tool }: PermissionRule, { allow = false }: Inheritance): boolean {
  if (behavior !== 'allow') return true;
  return typeof allow === 'boolean' ? allow : allow.includes(tool);
}

/** What of a directory lies in one of the others: all of it, or those that lie in it. */
function commonParts(own: string, others: readonly string[]): string[] {
  if (others.some((other) => contains(other, own))) return [own];
  return others.filter((other) => contains(own, other));
}

function contains(directory: string, path: string): boolean {
  // Where it leads up again, nobody says here where it ends.
  if (/(^|[/\\])\.\.([/\\]|$)/.test(path)) return false;
  const root = directory.replace(/[/\\]+$/, '');
  return path === directory || path === root || path.startsWith(`${root}/`) || path.startsWith(`${root}\\`);
}
