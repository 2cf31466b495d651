import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { definitionOf, scrubbedEnvironment, type EnvironmentOptions } from './environment.ts';
import { folderFiles } from './folder-files.ts';
import { guarded, runProcess } from './run-process.ts';
import { openSessionFolder, ownFolder, removeSessionFolder, snapshotFolderOf } from './session-folder.ts';
import { argvOf } from './shell-command.ts';
import type { WorkspaceBackend } from './workspace.ts';

export interface DockerBackendOptions extends EnvironmentOptions {
  /** The folder of all workspaces on this machine, which runs the Docker engine too. */
  root: string;
  /** With a POSIX shell at `/bin/sh`; ripgrep in it for `grep`. */
  image: string;
  /** A network of Docker, such as `bridge`. Default: `none`. */
  network?: string;
  /** Such as `2g`. Default: `2g`. */
  memory?: string;
  /** Processors. Default: 2. */
  cpus?: number;
  /** Processes at once. Default: 512. */
  pidsLimit?: number;
  /** More arguments for `docker run`, such as `['--runtime', 'runsc']`. */
  runArguments?: readonly string[];
  /** Default: `docker`. */
  program?: string;
}

/**
 * A folder for each session, and each command in a container of its own, with the folder at the same path: nothing of it is left when it
 * ends. The root file system is read-only, without capabilities, and without network by default.
 */
export function dockerBackend(options: DockerBackendOptions): WorkspaceBackend {
  const { root, program = 'docker' } = options;
  return {
    name: 'docker',
    definition: definitionOf(options),
    snapshotFolder: (session) => snapshotFolderOf(root, session),
    remove: (session) => removeSessionFolder(root, session),
    async open(session) {
      const files = folderFiles(await openSessionFolder(root, session));
      const home = join(files.root, ownFolder, 'home');
      const env = scrubbedEnvironment(options, { HOME: home, TMPDIR: '/tmp' });
      return {
        ...files,
        home,
        async *exec(command, { cwd = '.', ...limits }) {
          const name = `durascope-${randomUUID()}`;
          const container = { name, workspace: files.root, cwd: await files.realpath(cwd), env };
          const argv: [string, ...string[]] = [
            program,
            ...dockerArguments(options, container),
            ...guarded(argvOf(command)),
          ];
          const onKill = once(() =>
            execFile(program, ['kill', name], { env: clientEnvironment() }, () => {}),
          );
          // Values of the environment go by that of the client: its command line can be read by everybody.
          return yield* runProcess(
            { argv, cwd: files.root, env: { ...env, ...clientEnvironment() }, onKill },
            limits,
          );
        },
      };
    },
  };
}

interface Container {
  name: string;
  workspace: string;
  cwd: string;
  env: Readonly<Record<string, string>>;
}

export function dockerArguments(options: DockerBackendOptions, container: Container): string[] {
  const { image, network = 'none', memory = '2g', cpus = 2, pidsLimit = 512, runArguments = [] } = options;
  const { name, workspace, cwd, env } = container;
  const client = clientEnvironment();
  return [
    // Standard input stays attached: where it ends, with this process, the command ends.
    ['run', '--rm', '--interactive', '--init'],
    ['--name', name],
    ['--network', network],
    ['--read-only', '--tmpfs', '/tmp:rw,exec'],
    ['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
    ['--pids-limit', String(pidsLimit), '--memory', memory, '--cpus', String(cpus)],
    ['--user', `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`],
    ['--volume', `${workspace}:${workspace}`, '--workdir', cwd],
    Object.entries(env).flatMap(([key, value]) => ['--env', key in client ? `${key}=${value}` : key]),
    runArguments,
    [image],
  ].flat();
}

/** What the client itself needs of this process's environment. */
function clientEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([key, value]) =>
      value !== undefined && (key.startsWith('DOCKER_') || key === 'PATH' || key === 'HOME')
        ? [[key, value]]
        : [],
    ),
  );
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) action();
    isDone = true;
  };
}
