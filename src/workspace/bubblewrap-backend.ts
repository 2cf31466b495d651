import { execFile } from 'node:child_process';
import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { definitionOf, scrubbedEnvironment, systemPath, type EnvironmentOptions } from './environment.ts';
import { folderFiles } from './folder-files.ts';
import { bundledRipgrep } from './ripgrep.ts';
import { guarded, runProcess } from './run-process.ts';
import { openSessionFolder, ownFolder, removeSessionFolder, snapshotFolderOf } from './session-folder.ts';
import { argvOf } from './shell-command.ts';
import { WorkspaceError, type WorkspaceBackend } from './workspace.ts';

export interface BubblewrapBackendOptions extends EnvironmentOptions {
  /** The folder of all workspaces: each session's is `<root>/<owner>/<session>`. */
  root: string;
  /** `host`: commands share the network of this machine, private addresses included. Default: `none`. */
  network?: 'none' | 'host';
  /** Absolute paths that commands may read besides `/usr`, such as a toolchain in `/opt`. */
  readOnlyPaths?: readonly string[];
  /** Default: `bwrap`. */
  program?: string;
}

/**
 * A folder for each session, and commands in a sandbox of Bubblewrap (Linux): they see `/usr`, what programs need of `/etc`, an empty
 * `/tmp` and the workspace, which alone they can write. No home, no environment of the worker, no other processes, no network.
 * It sets no limits of memory or processor time.
 */
export function bubblewrapBackend(options: BubblewrapBackendOptions): WorkspaceBackend {
  const { root, program = 'bwrap', network = 'none', readOnlyPaths = [] } = options;
  let checked: Promise<void> | undefined;
  const check = (workspace: string): Promise<void> => {
    checked ??= checkBubblewrap(program, workspace).catch((error: unknown) => {
      checked = undefined;
      throw error;
    });
    return checked;
  };
  return {
    name: 'bubblewrap',
    definition: definitionOf(options),
    snapshotFolder: (session) => snapshotFolderOf(root, session),
    remove: (session) => removeSessionFolder(root, session),
    async open(session) {
      const files = folderFiles(await openSessionFolder(root, session));
      const home = join(files.root, ownFolder, 'home');
      const ripgrep = await bundledRipgrep();
      const visible = ripgrep === undefined ? readOnlyPaths : [...readOnlyPaths, ripgrep];
      const binFolders = readOnlyPaths.map((path) => join(path, 'bin'));
      const env = scrubbedEnvironment(options, {
        PATH: [systemPath, ...binFolders].join(':'),
        HOME: home,
        TMPDIR: '/tmp',
      });
      return {
        ...files,
        home,
        async *exec(command, { cwd = '.', ...limits }) {
          await check(files.root);
          const folder = await files.realpath(cwd);
          const sandbox = bubblewrapArguments({ network, readOnlyPaths: visible }, files.root, folder);
          const argv = guarded([program, ...sandbox, '--', ...argvOf(command)]);
          return yield* runProcess({ argv, cwd: files.root, env }, limits);
        },
      };
    },
  };
}

/** What of `/etc` programs need, and no secret among it. */
const etc = [
  'alternatives',
  'ca-certificates',
  'group',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'mime.types',
  'nsswitch.conf',
  'passwd',
  'pki',
  'ssl',
];
/** Within those, and open to a worker that runs as root. */
const privateKeys = ['/etc/ssl/private', '/etc/pki/tls/private'];
const etcForNetwork = ['gai.conf', 'host.conf', 'hosts', 'resolv.conf'];

export function bubblewrapArguments(
  { network = 'none', readOnlyPaths = [] }: Pick<BubblewrapBackendOptions, 'network' | 'readOnlyPaths'>,
  workspace: string,
  cwd: string,
): string[] {
  const readOnly = (path: string) => ['--ro-bind-try', path, path];
  const systemFolders = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
  const etcNames = network === 'host' ? [...etc, ...etcForNetwork] : etc;
  return [
    ['--die-with-parent', '--unshare-all'],
    network === 'host' ? ['--share-net'] : [],
    ['--hostname', 'workspace'],
    ['--cap-drop', 'ALL'],
    readOnly('/usr'),
    systemFolders.flatMap(likeOnHost),
    etcNames.flatMap((name) => readOnly(`/etc/${name}`)),
    privateKeys.filter((path) => existsSync(path)).flatMap((path) => ['--tmpfs', path]),
    // Whoever has the user id of root may write kernel settings there, even without capabilities.
    ['--proc', '/proc', '--remount-ro', '/proc'],
    ['--dev', '/dev'],
    ['--tmpfs', '/tmp'],
    readOnlyPaths.flatMap(readOnly),
    ['--bind', workspace, workspace],
    ['--remount-ro', '/'],
    ['--chdir', cwd],
  ].flat();
}

/** A link into `/usr` on merged systems, a folder on others. */
function likeOnHost(path: string): string[] {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return isLink ? ['--symlink', readlinkSync(path), path] : ['--ro-bind-try', path, path];
}

async function checkBubblewrap(program: string, workspace: string): Promise<void> {
  try {
    const args = bubblewrapArguments({}, workspace, workspace);
    await promisify(execFile)(program, [...args, '--', '/bin/sh', '-c', ':'], { timeout: 20_000 });
  } catch (error) {
    const { code, stderr = '' } = error as { code?: unknown; stderr?: string };
    const why =
      code === 'ENOENT'
        ? `there is no ${program}: install it (Debian: apt-get install bubblewrap)`
        : `this machine does not let it make a sandbox (${stderr.trim() || String(code)}): allow unprivileged user namespaces, or use another back end`;
    throw new WorkspaceError('unavailable', `Bubblewrap can't be used: ${why}`, { cause: error });
  }
}
