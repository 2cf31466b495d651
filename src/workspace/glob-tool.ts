import { posix } from 'node:path';
import { z } from 'zod';
import { defineTool } from '../tools/define-tool.ts';
import { matchesPathRule } from '../tools/paths/path-rule.ts';
import type { Tool } from '../tools/tool.ts';
import { isDenied, noteOfDenied, pathPermissions } from './path-permissions.ts';
import { ownFolder } from './session-folder.ts';
import type { ToolSetting } from './tool-setting.ts';
import type { Workspace } from './workspace.ts';

const maxShown = 100;
const maxVisited = 200_000;
/** Looked into only where the pattern or the path names them. */
const skipped = ['.git', '.hg', '.svn', 'node_modules', '.venv', '__pycache__', ownFolder];

const input = z.object({
  pattern: z.string().min(1).describe('Such as src/**/*.ts; **/ crosses folders'),
  path: z.string().optional().describe('The folder to look in. Default: the workspace'),
});

export function globTool({ workspace }: ToolSetting): Tool {
  return defineTool({
    name: 'glob',
    description: `Finds files of the workspace by a pattern of their path, the newest first. Folders such as ${skipped.slice(0, 4).join(', ')} are left out unless the pattern names them.`,
    input,
    readOnly: true,
    ...pathPermissions<z.infer<typeof input>>('glob', workspace, 'read'),
    async execute({ pattern, path = '.' }, { signal, deniedPatterns = [] }) {
      const folder = await workspace.realpath(path);
      const base = pattern.startsWith('/') ? '/' : folder;
      const skips = skipped.filter((name) => !pattern.includes(name));
      const { files, isComplete } = await collect(
        workspace,
        folder,
        skips,
        signal,
        (file) =>
          matchesPathRule(file, pattern, { cwd: base, home: workspace.home }) &&
          !(deniedPatterns.length > 0 && isDenied(workspace, file, deniedPatterns)),
      );
      if (files.length === 0)
        return [
          `No file matches ${pattern}.${isComplete ? '' : ` Only ${maxVisited} were looked at: name a folder.`}`,
          ...noteOfDenied(deniedPatterns),
        ].join('\n');
      const newest = files.toSorted((a, b) => b.modifiedMs - a.modifiedMs);
      const shown = newest.slice(0, maxShown).map((file) => posix.relative(workspace.root, file.path));
      const notes = [
        ...noteOfDenied(deniedPatterns),
        ...(files.length > maxShown
          ? [`[The ${maxShown} newest of ${files.length}: narrow the pattern for the others.]`]
          : []),
        ...(isComplete ? [] : [`[Only ${maxVisited} files were looked at: name a folder.]`]),
      ];
      return [...shown, ...notes].join('\n');
    },
  });
}

interface Found {
  path: string;
  modifiedMs: number;
}

/** Links are listed as files and never entered, so the walk ends and stays inside. */
async function collect(
  workspace: Workspace,
  folder: string,
  skips: readonly string[],
  signal: AbortSignal,
  matches: (path: string) => boolean,
): Promise<{ files: Found[]; isComplete: boolean }> {
  const files: Found[] = [];
  const open = [folder];
  let visited = 0;
  while (open.length > 0) {
    signal.throwIfAborted();
    const at = open.pop()!;
    // A folder that went away meanwhile, or may not be read.
    const entries = await workspace.list(at).catch((error: unknown) => {
      if (at === folder) throw error;
      return [];
    });
    for (const { name, kind, modifiedMs } of entries) {
      const path = posix.join(at, name);
      visited += 1;
      if (kind === 'directory') {
        if (!skips.includes(name)) open.push(path);
      } else if (matches(path)) files.push({ path, modifiedMs });
    }
    if (visited > maxVisited) return { files, isComplete: false };
  }
  return { files, isComplete: true };
}
