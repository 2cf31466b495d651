import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { signalGroup } from '../embedded/signal-group.ts';
import { WorkspaceError, type ExecEnd, type OutputChunk } from './workspace.ts';

export interface ProcessStart {
  argv: readonly [string, ...string[]];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Ends what a signal to the process does not reach. */
  onKill?(): void;
}

export interface ProcessLimits {
  timeoutMs: number;
  signal: AbortSignal;
  /** Between the polite signal and the one by force. */
  graceMs?: number;
}

/** How long what still holds the output after the command's end may go on: a pipe's last reader, seldom more. */
const lingerMs = 250;
/** Output that nothing more comes from is given up after this: its holder left the process group. */
const drainMs = 2_000;

/**
 * Runs before the command: a watcher that waits for the end of standard input, which is a pipe of this process, and then ends the whole
 * group by force. So nothing of the group outlives this process, even when it is killed. Parted from the command by two forks, so that
 * no program waits for it as for a child.
 */
const guardScript = `exec 3<&0 </dev/null
( ( trap "" TERM INT HUP; read -r _ <&3; kill -KILL 0 ) >/dev/null 2>&1 & )
exec 3<&-
exec "$@"`;

export function guarded(argv: readonly string[]): [string, ...string[]] {
  return ['/bin/sh', '-c', guardScript, 'durascope', ...argv];
}

/** The program must not outlive its standard input: see `guarded`. */
export async function* runProcess(
  start: ProcessStart,
  { timeoutMs, signal, graceMs = 2_000 }: ProcessLimits,
): AsyncGenerator<OutputChunk, ExecEnd, void> {
  signal.throwIfAborted();
  const [program, ...args] = start.argv;
  // A group of its own, to be ended as a whole.
  const child = spawn(program, args, { cwd: start.cwd, env: start.env, detached: true, stdio: 'pipe' });
  const output = outputOf(child);
  child.stdin.on('error', () => undefined);
  const exited = once(child, 'exit').catch((error: unknown) => {
    throw new WorkspaceError('exec_failed', `${program} could not be started: ${String(error)}`);
  });
  exited.catch(() => undefined);

  let by: ExecEnd['by'] = 'itself';
  const timers: NodeJS.Timeout[] = [];
  const later = (ms: number, action: () => void) => timers.push(setTimeout(action, ms));
  const killNow = () => {
    const isRunning = child.exitCode === null && child.signalCode === null;
    signalGroup(child.pid, 'SIGKILL');
    child.stdin.destroy();
    if (isRunning) start.onKill?.();
  };
  const end = (reason: ExecEnd['by']) => {
    if (by !== 'itself') return;
    by = reason;
    signalGroup(child.pid, 'SIGTERM');
    later(graceMs, killNow);
  };
  const onAbort = () => end('abort');
  signal.addEventListener('abort', onAbort, { once: true });
  later(timeoutMs, () => end('timeout'));
  child.once('exit', () => {
    later(lingerMs, () => {
      killNow();
      output.giveUpAfter(drainMs);
    });
  });
  child.once('error', () => output.close());
  try {
    for (;;) {
      const chunk = await output.next();
      if (!chunk) break;
      yield chunk;
    }
    const [exitCode, exitSignal] = (await exited) as [number | null, NodeJS.Signals | null];
    return { exitCode, signal: exitSignal, by };
  } finally {
    for (const timer of timers) clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    killNow();
    output.close();
  }
}

/** Both streams as one, in the order of arrival, read only while somebody waits for more. */
function outputOf(child: ChildProcess) {
  const chunks: OutputChunk[] = [];
  const open = new Set([child.stdout!, child.stderr!]);
  const streams = [...open];
  let wake: (() => void) | undefined;
  let lastAt = Date.now();
  let givingUp: NodeJS.Timeout | undefined;
  const notify = () => {
    wake?.();
    wake = undefined;
  };
  for (const stream of streams) {
    const from = stream === child.stdout ? 'stdout' : 'stderr';
    stream.on('data', (bytes: Buffer) => {
      chunks.push({ from, bytes });
      lastAt = Date.now();
      for (const each of streams) each.pause();
      notify();
    });
    stream.on('error', () => undefined);
    stream.once('close', () => {
      open.delete(stream);
      notify();
    });
    stream.pause();
  }
  const close = () => {
    clearInterval(givingUp);
    for (const stream of streams) stream.destroy();
    open.clear();
    notify();
  };
  return {
    async next(): Promise<OutputChunk | undefined> {
      while (chunks.length === 0 && open.size > 0) {
        lastAt = Date.now();
        const woken = new Promise<void>((resolve) => (wake = resolve));
        for (const stream of streams) stream.resume();
        await woken;
      }
      return chunks.shift();
    },
    giveUpAfter(ms: number) {
      givingUp = setInterval(() => {
        if (wake && Date.now() - lastAt > ms) close();
      }, ms / 4);
    },
    close,
  };
}
