import { posix } from 'node:path';
import type { Coverage, PermissionBehavior, PermissionDecision, PermissionRule } from '../core/permission.ts';
import { mayMatchPathRule, matchesPathRule } from '../tools/paths/path-rule.ts';
import { dangerousPath, isSensitivePath, type PathPolicy } from '../tools/paths/sensitive-paths.ts';
import { isBelow } from '../tools/paths/is-inside.ts';
import { ownFolder } from './session-folder.ts';
import { WorkspaceError, type Workspace } from './workspace.ts';

export interface PathInput {
  path?: string | undefined;
}

interface PathOptions<Input> {
  permission: (input: Input) => Promise<PermissionDecision | undefined>;
  matchRule: (input: Input, pattern: string, behavior: PermissionBehavior) => boolean;
  boundBy: Record<string, (input: Input, pattern: string, behavior: PermissionBehavior) => Coverage>;
  suggestRules: (input: Input) => PermissionRule[];
}

/** They look at what lies below their path, and leave out what a rule denies, but not what one asks for. */
const searches = new Set(['glob', 'grep']);

/** What a rule denies to one tool it denies to all that reach the same files. */
const alsoBoundBy: Readonly<Record<string, readonly string[]>> = {
  glob: ['read'],
  grep: ['read'],
  write: ['edit'],
  edit: ['read', 'write'],
};

/**
 * The gate of a tool that works on one path, by name and by where links lead: a path out of the workspace is denied, one that holds
 * secrets (to read) or changes how programs run (to edit) asks whatever the rules allow. Patterns of rules: `src/**`.
 */
export function pathPermissions<Input extends PathInput>(
  tool: string,
  workspace: Workspace,
  purpose: 'read' | 'edit',
  policy: Partial<PathPolicy> = {},
): PathOptions<Input> {
  const { root, home } = workspace;
  const named = ({ path = '.' }: Input) => posix.resolve(root, path);
  const relative = (path: string) => posix.relative(root, path) || '.';
  const whyOutside = async (path: string): Promise<string | undefined> => {
    try {
      await workspace.realpath(path);
      return undefined;
    } catch (error) {
      // What is not there is for the tool to say.
      return error instanceof WorkspaceError && error.code === 'outside_workspace'
        ? error.message
        : undefined;
    }
  };
  return {
    async permission({ path = '.' }) {
      const denial = await whyOutside(path);
      if (denial !== undefined) return { behavior: 'deny', reason: denial };
      const names = [posix.resolve(root, path), workspace.peek(path)].map(relative);
      if (purpose === 'edit' && names.some((name) => isBelow(ownFolder, name)))
        return { behavior: 'deny', reason: `${ownFolder} belongs to the runtime: nothing is changed there` };
      const problem = names.map((name) => problemOf(name, purpose, policy)).find(Boolean);
      return problem ? { behavior: 'ask', reason: `${path}: ${problem}`, isSafety: true } : undefined;
    },
    matchRule(input, pattern, behavior) {
      const path = named(input);
      if (behavior !== 'allow') return isDenied(workspace, path, [pattern]);
      return [path, workspace.peek(path)].every((each) =>
        matchesPathRule(each, pattern, { cwd: root, home }),
      );
    },
    boundBy: Object.fromEntries(
      (alsoBoundBy[tool] ?? []).map((other) => [
        other,
        (input: Input, pattern: string, behavior: PermissionBehavior) => {
          if (isDenied(workspace, named(input), [pattern])) return true;
          if (behavior !== 'ask' || !searches.has(tool)) return false;
          const guess = { path: workspace.peek(named(input)), isBelow: true };
          return mayMatchPathRule(guess, pattern, { cwd: root, home }) && 'maybe';
        },
      ]),
    ),
    suggestRules(input) {
      const path = relative(named(input));
      const folder = posix.dirname(path);
      const patterns = [path, ...(folder === '.' ? [] : [`${folder}/**`]), '**'];
      return [...new Set(patterns)].map((pattern) => ({ tool, pattern, behavior: 'allow' }));
    },
  };
}

/** Whether one of the patterns covers the path as it is named, or where its links lead, however it is spelled. */
export function isDenied(workspace: Workspace, path: string, patterns: readonly string[]): boolean {
  const { root, home } = workspace;
  const context = { cwd: root, home, ignoresCase: true };
  return [path, workspace.peek(path)].some((each) =>
    patterns.some((pattern) => matchesPathRule(each, pattern, context)),
  );
}

/** The same whatever was found: what a search leaves out must not tell that there is something. */
export function noteOfDenied(patterns: readonly string[]): string[] {
  return patterns.length === 0 ? [] : [`[Not searched, because rules deny it: ${patterns.join(', ')}.]`];
}

function problemOf(path: string, purpose: 'read' | 'edit', policy: Partial<PathPolicy>): string | undefined {
  if (purpose === 'edit') return dangerousPath(path, policy);
  return isSensitivePath(path, policy) ? 'it may hold secrets' : undefined;
}
