import type { SessionRef } from '../contracts/ids.ts';
import type { PathPolicy } from '../tools/paths/sensitive-paths.ts';
import { describeError } from '../tools/tool-errors.ts';
import type { ToolSource } from '../tools/tool-source.ts';
import type { Tool } from '../tools/tool.ts';
import { bashTool } from './bash-tool.ts';
import { editTool } from './edit-tool.ts';
import { globTool } from './glob-tool.ts';
import { grepTool } from './grep-tool.ts';
import { readTool } from './read-tool.ts';
import { WorkspaceSnapshots, type SnapshotOptions } from './snapshots.ts';
import type { ToolSetting } from './tool-setting.ts';
import { unopened } from './unopened.ts';
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
  /** Before the first change of each turn, where Git is on the worker's PATH; `false` for none. */
  snapshots?: SnapshotOptions | false;
}

export interface WorkspaceSource extends ToolSource {
  readonly name: 'workspace';
  /** What the workspace of a session held before its turns. */
  snapshots(session: SessionRef): Promise<WorkspaceSnapshots>;
  /** Deletes a session's folder and its snapshots, as when the session is erased. */
  remove(session: SessionRef): Promise<void>;
}

/** Of another copy of this package too: a loader of config files may bring one. */
export function isWorkspaceSource(source: ToolSource): source is WorkspaceSource {
  return source.name === 'workspace' && 'snapshots' in source;
}

/** Sessions whose tools are kept made, in a worker. */
const maxKept = 200;

/**
 * Gives each session of an agent a folder of its own, and tools to work in it. Edits in it pass in mode `accept_edits`.
 *
 * @example defineAgent({ …, sources: [workspace({ backend: bubblewrapBackend({ root: '/srv/workspaces' }) })] })
 */
export function workspace(options: WorkspaceOptions): WorkspaceSource {
  const { backend, snapshots = {} } = options;
  const kept = new Map<string, readonly Tool[]>();

  const toolsFor = (ref: SessionRef, opened: Workspace): readonly Tool[] => {
    const known = kept.get(opened.root);
    if (known) return known;
    const taken = snapshots === false ? undefined : snapshotsOf(ref, opened);
    const tools = toolsOf(opened, options, taken ? beforeChangeOf(taken) : async () => undefined);
    if (kept.size >= maxKept) kept.delete(kept.keys().next().value!);
    kept.set(opened.root, tools);
    return tools;
  };
  const snapshotsOf = (ref: SessionRef, opened: Workspace) =>
    new WorkspaceSnapshots(opened.root, backend.snapshotFolder(ref), snapshots || {});

  return {
    name: 'workspace',
    definition: {
      backend: [backend.name, backend.definition ?? null],
      tools: [...(options.tools ?? Object.keys(makers))],
      paths: options.paths ?? {},
      snapshots,
    },
    async load({ ref, slots, isListing }) {
      if (isListing) return { tools: toolsOf(unopened, options, async () => undefined) };
      const opened = await backend.open(ref);
      const notice = await recognize(opened, slots);
      return {
        tools: toolsFor(ref, opened),
        instructions: `Your workspace is the folder ${opened.root}: paths of tools may be relative to it, and nothing outside of it can be read or changed with them. It stays between turns.`,
        workingDirectories: [opened.root],
        ...(notice === undefined ? {} : { notice }),
      };
    },
    async remove(ref) {
      await backend.remove(ref);
    },
    snapshots: async (ref) => snapshotsOf(ref, await backend.open(ref)),
  };
}

/** The tools alone, for a workspace that is open. They take no snapshots. */
export function workspaceTools(
  opened: Workspace,
  options: Pick<WorkspaceOptions, 'tools' | 'paths'> = {},
): Tool[] {
  return toolsOf(opened, options, async () => undefined);
}

function toolsOf(
  opened: Workspace,
  { tools, paths }: Pick<WorkspaceOptions, 'tools' | 'paths'>,
  beforeChange: ToolSetting['beforeChange'],
): Tool[] {
  const setting: ToolSetting = { workspace: opened, beforeChange, ...(paths ? { paths } : {}) };
  const names = tools ?? (Object.keys(makers) as WorkspaceToolName[]);
  return names.map((name) => makers[name](setting));
}

/** A snapshot before the first change of each turn. One that fails is no reason not to work. */
function beforeChangeOf(snapshots: WorkspaceSnapshots): ToolSetting['beforeChange'] {
  let last: string | undefined;
  return async ({ turnId, signal, progress }) => {
    const turn = turnId.slice(turnId.lastIndexOf('/') + 1);
    if (turn === last) return;
    last = turn;
    await snapshots.take(turn, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      // Tried again at the next change.
      last = undefined;
      progress({ message: `no snapshot of the workspace was taken: ${describeError(error)}` });
      process.emitWarning(
        `No snapshot of the workspace before ${turnId}: ${String(error)}`,
        'DurascopeWarning',
      );
    });
  };
}
