import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { vi } from 'vitest';

// Each command is a process that loads the whole package; a busy machine takes seconds for it.
vi.setConfig({ testTimeout: 180_000 });

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** `DURASCOPE_STORE` and its like are said by each test: what the machine has set must not leak in. */
const clean = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(TEMPORAL|OPENAI|DURASCOPE|NODE|VITEST|FORCE_COLOR|NO_COLOR)/.test(name),
  ),
);
/** What all test processes share. */
const shared = Object.fromEntries(
  ['DURASCOPE_CACHE', 'DURASCOPE_WORKFLOW_BUNDLE', 'NODE_COMPILE_CACHE'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);

export interface CliOptions {
  cwd: string;
  env?: Record<string, string>;
  input?: string;
  /** On a pseudo terminal, of which `stdout` is all that is shown. */
  isTty?: boolean;
}

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunningCli {
  child: ChildProcess;
  finished: Promise<Finished>;
  /** All of stdout and stderr so far, without colors. */
  output(): string;
  /** Resolves once the output, after what earlier calls saw, has the text (its first group); rejects when the process ends without it. */
  waitFor(text: string | RegExp): Promise<string>;
  type(text: string): void;
  kill(signal: NodeJS.Signals): void;
}

/** The real command line, as a process of its own. */
export function startCli(args: readonly string[], options: CliOptions): RunningCli {
  const command = [process.execPath, main, ...args];
  const [program = '', ...rest] = options.isTty
    ? ['python3', '-c', 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)', ...command]
    : command;
  const child = spawn(program, rest, {
    cwd: options.cwd,
    env: { ...clean, ...shared, ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  let raw = '';
  let output = '';
  let seen = 0;
  const waiters = new Set<() => void>();
  const note = (chunk: string): void => {
    raw += chunk;
    output = stripVTControlCharacters(raw);
    for (const wake of waiters) wake();
  };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
    note(chunk);
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
    note(chunk);
  });
  const finished = new Promise<Finished>((resolve) => {
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
  let hasFinished = false;
  void finished.then(() => {
    hasFinished = true;
    note('');
  });
  // The process may end before it has read what is typed.
  child.stdin.on('error', () => {});
  if (options.input !== undefined) child.stdin.end(options.input);
  return {
    child,
    finished,
    output: () => output,
    async waitFor(text) {
      for (;;) {
        const match = find(output.slice(seen), text);
        if (match) {
          seen += match.end;
          return match.text;
        }
        if (hasFinished) throw new Error(`It ended without "${text}":\n${output}`);
        await new Promise<void>((resolve) => waiters.add(resolve));
      }
    },
    type: (text) => void child.stdin.write(text),
    kill: (signal) => void child.kill(signal),
  };
}

export function runCli(args: readonly string[], options: CliOptions): Promise<Finished> {
  return startCli(args, { input: '', ...options }).finished;
}

function find(output: string, wanted: string | RegExp): { text: string; end: number } | undefined {
  if (typeof wanted === 'string') {
    const at = output.indexOf(wanted);
    return at < 0 ? undefined : { text: wanted, end: at + wanted.length };
  }
  const match = wanted.exec(output);
  return match ? { text: match[1] ?? match[0], end: match.index + match[0].length } : undefined;
}

/** Ids of the processes that it has started and that live. */
export function childrenOf({ child }: RunningCli): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' });
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, state]) => Number(parent) === child.pid && !state?.startsWith('Z'))
    .map(([pid]) => Number(pid));
}

export function commandOf(pid: number): string {
  return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
}

export function isAlive(pid: number): boolean {
  return !['', 'Z'].includes(
    spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
      .stdout.trim()
      .slice(0, 1),
  );
}
