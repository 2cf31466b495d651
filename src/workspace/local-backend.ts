import { delimiter, dirname, join } from 'node:path';
import { definitionOf, scrubbedEnvironment, systemPath, type EnvironmentOptions } from './environment.ts';
import { folderFiles } from './folder-files.ts';
import { guarded, runProcess } from './run-process.ts';
import { openSessionFolder, ownFolder, removeSessionFolder, snapshotFolderOf } from './session-folder.ts';
import { argvOf } from './shell-command.ts';
import type { WorkspaceBackend } from './workspace.ts';

export interface LocalBackendOptions extends EnvironmentOptions {
  /** The folder of all workspaces: each session's is `<root>/<owner>/<session>`. */
  root: string;
}

/**
 * A folder for each session, and commands as ordinary processes of the worker's user. The tools that work on files stay inside; a command
 * can reach whatever that user can: use it for trusted agents, or with approvals.
 */
export function localBackend(options: LocalBackendOptions): WorkspaceBackend {
  const { root } = options;
  return {
    name: 'local',
    definition: definitionOf(options),
    snapshotFolder: (session) => snapshotFolderOf(root, session),
    remove: (session) => removeSessionFolder(root, session),
    async open(session) {
      const files = folderFiles(await openSessionFolder(root, session));
      const home = join(files.root, ownFolder, 'home');
      const env = scrubbedEnvironment(options, {
        // What runs this process can be run by its commands too.
        PATH: `${process.env['PATH'] ?? systemPath}${delimiter}${dirname(process.execPath)}`,
        HOME: home,
      });
      return {
        ...files,
        home,
        async *exec(command, { cwd = '.', ...limits }) {
          const start = { argv: guarded(argvOf(command)), cwd: await files.realpath(cwd), env };
          return yield* runProcess(start, limits);
        },
      };
    },
  };
}
