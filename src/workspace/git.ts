import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Git's plumbing on a repository and a folder that are given, and nothing else of this machine: no configuration, no hooks, no other
 * repository around or inside.
 */
export class Git {
  readonly #env: NodeJS.ProcessEnv;
  readonly #workTree: string;

  constructor({ folder, workTree }: { folder: string; workTree: string }) {
    this.#workTree = workTree;
    this.#env = {
      PATH: process.env['PATH'],
      HOME: folder,
      LC_ALL: 'C',
      GIT_DIR: folder,
      GIT_WORK_TREE: workTree,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_TERMINAL_PROMPT: '0',
      GIT_AUTHOR_NAME: 'durascope',
      GIT_AUTHOR_EMAIL: 'durascope@localhost',
      GIT_COMMITTER_NAME: 'durascope',
      GIT_COMMITTER_EMAIL: 'durascope@localhost',
    };
  }

  /** @returns what it writes. @throws Error with what it says when it fails. */
  async run(args: readonly string[], input = ''): Promise<string> {
    const settings = [
      'core.autocrlf=false',
      'core.excludesFile=/dev/null',
      'core.fsmonitor=false',
      'core.hooksPath=/dev/null',
      'core.quotePath=false',
      'gc.autoDetach=false',
    ].flatMap((setting) => ['-c', setting]);
    const child = spawn('git', [...settings, ...args], {
      cwd: this.#workTree,
      env: this.#env,
      stdio: 'pipe',
    });
    const pieces: Buffer[] = [];
    let errors = '';
    child.stdout.on('data', (bytes: Buffer) => pieces.push(bytes));
    child.stderr.on('data', (bytes: Buffer) => (errors = (errors + bytes.toString()).slice(-2_000)));
    // One that ends early takes no more input; its exit code says why.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`git ${args[0]} failed (${code}): ${errors.trim()}`);
    return Buffer.concat(pieces).toString();
  }
}
