import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { signalGroup } from '../embedded/signal-group.ts';
import { guarded } from './run-process.ts';

/**
 * Git's plumbing on a repository and a folder that are given, and nothing else of this machine: no configuration, no hooks, no other
 * repository around or inside.
 */
export class Git {
  readonly #env: NodeJS.ProcessEnv;
  readonly #workTree: string;
  readonly #folder: string;
  /** Of each command. */
  readonly timeoutMs: number;

  /** @param options.timeoutMs of each command */
  constructor({
    folder,
    workTree,
    timeoutMs = 60_000,
  }: {
    folder: string;
    workTree: string;
    timeoutMs?: number;
  }) {
    this.#folder = folder;
    this.timeoutMs = timeoutMs;
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

  /** @returns what it writes. @throws Error with what it says when it fails, or takes too long; the signal's reason. */
  run(args: readonly string[], input = '', signal?: AbortSignal): Promise<string> {
    const settings = [
      'core.autocrlf=false',
      'core.excludesFile=/dev/null',
      'core.fsmonitor=false',
      'core.hooksPath=/dev/null',
      'core.quotePath=false',
      'gc.autoDetach=false',
    ].flatMap((setting) => ['-c', setting]);
    return this.#spawn(`git ${args[0]}`, ['git', ...settings, ...args], input, signal);
  }

  /**
   * Git opens these files wherever it meets them, and waits for a pipe for ever.
   *
   * @returns one that is no file, if there is one.
   */
  async blockingFile(signal?: AbortSignal): Promise<string | undefined> {
    const names = ['(', '-name', '.gitignore', '-o', '-name', '.gitattributes', ')'];
    const others = ['!', '-type', 'f', '!', '-type', 'd', '!', '-type', 'l'];
    const argv = ['find', '.', ...names, ...others, '-print', '-quit'];
    const found = await this.#spawn('find', argv, '', signal).catch(() => '');
    return found.trim() || undefined;
  }

  async #spawn(name: string, argv: readonly string[], input: string, signal?: AbortSignal): Promise<string> {
    signal?.throwIfAborted();
    // Standard input is what ties it to the life of this process; its own comes by another pipe.
    const [shell, ...rest] = guarded(['/bin/sh', '-c', 'exec "$@" <&4 4<&-', 'durascope', ...argv]);
    const child = spawn(shell, rest, {
      cwd: this.#workTree,
      env: this.#env,
      stdio: ['pipe', 'pipe', 'pipe', 'ignore', 'pipe'],
      detached: true,
    });
    const { stdin, stdout, stderr } = child as ChildProcessWithoutNullStreams;
    const pieces: Buffer[] = [];
    let errors = '';
    stdout.on('data', (bytes: Buffer) => pieces.push(bytes));
    stderr.on('data', (bytes: Buffer) => (errors = (errors + bytes.toString()).slice(-2_000)));
    // One that ends early takes no more input; its exit code says why.
    const inputPipe = child.stdio[4] as Writable;
    inputPipe.on('error', () => undefined);
    stdin.on('error', () => undefined);
    inputPipe.end(input);
    let isLate = false;
    const end = () => {
      signalGroup(child.pid, 'SIGKILL');
      stdin.destroy();
      inputPipe.destroy();
    };
    const timer = setTimeout(() => {
      isLate = true;
      end();
    }, this.timeoutMs);
    signal?.addEventListener('abort', end, { once: true });
    child.once('exit', end);
    try {
      const [code] = (await once(child, 'close')) as [number | null];
      if (code === 0) return Buffer.concat(pieces).toString();
      // What was killed leaves its lock.
      if (isLate || signal?.aborted) await rm(join(this.#folder, 'index.lock'), { force: true });
      signal?.throwIfAborted();
      if (isLate) throw new Error(`${name} took longer than ${this.timeoutMs / 1_000} s`);
      throw new Error(`${name} failed (${code}): ${errors.trim()}`);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    }
  }
}
