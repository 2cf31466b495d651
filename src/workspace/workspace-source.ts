import type { PathPolicy } from '../tools/paths/sensitive-paths.ts';
import type { ToolSource } from '../tools/tool-source.ts';
import type { Tool } from '../tools/tool.ts';
import { bashTool } from './bash-tool.ts';
import { editTool } from './edit-tool.ts';
import { globTool } from './glob-tool.ts';
import { grepTool } from './grep-tool.ts';
import { readTool } from './read-tool.ts';
import type { ToolSetting } from './tool-setting.ts';
import { recognize } from './workspace-state.ts';
import type { Workspace, WorkspaceBackend } from './workspace.ts';
import { writeTool } from './write-tool.ts';

const makers = {
  bash: bashTool,
  read: readTool,
  write: writeTool,
  edit: editTool,
  glob: globTool,
  grep: grepTool,
} satisfies Record<string, (setting: ToolSetting) => Tool>;

export type WorkspaceToolName = keyof typeof makers;

export interface WorkspaceOptions {
  /** Where the files are and commands run. */
  backend: WorkspaceBackend;
  /** Default: all of `bash, read, write, edit, glob, grep`. */
  tools?: readonly WorkspaceToolName[];
  /** Lists of sensitive paths that replace the default ones. */
  paths?: Partial<PathPolicy>;
}

/** Sessions whose tools are kept made, in a worker. */
const maxKept = 200;

/**
 * Gives each session of an agent a folder of its own, and tools to work in it. Edits in it pass in mode `accept_edits`.
 *
 * @example defineAgent({ …, sources: [workspace({ backend: bubblewrapBackend({ root: '/srv/workspaces' }) })] })
 */
export function workspace(options: WorkspaceOptions): ToolSource {
  const { backend } = options;
  const kept = new Map<string, readonly Tool[]>();

  const toolsFor = (opened: Workspace): readonly Tool[] => {
    const known = kept.get(opened.root);
    if (known) return known;
    const tools = workspaceTools(opened, options);
    if (kept.size >= maxKept) kept.delete(kept.keys().next().value!);
    kept.set(opened.root, tools);
    return tools;
  };

  return {
    name: 'workspace',
    async load({ ref, slots }) {
      const opened = await backend.open(ref);
      const notice = await recognize(opened, slots);
      return {
        tools: toolsFor(opened),
        instructions: `Your workspace is the folder ${opened.root}: paths of tools may be relative to it, and nothing outside of it can be read or changed with them. It stays between turns.`,
        workingDirectories: [opened.root],
        ...(notice === undefined ? {} : { notice }),
      };
    },
  };
}

/** The tools alone, for a workspace that is open. */
export function workspaceTools(
  opened: Workspace,
  { tools, paths }: Pick<WorkspaceOptions, 'tools' | 'paths'> = {},
): Tool[] {
  const setting: ToolSetting = {
    workspace: opened,
    beforeChange: async () => undefined,
    ...(paths ? { paths } : {}),
  };
  const names = tools ?? (Object.keys(makers) as WorkspaceToolName[]);
  return names.map((name) => makers[name](setting));
}
