import { spawn } from 'node:child_process';
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { once } from 'node:events';

/**
 * Spawns a child that does not outlive this process: it is killed at exit, and on Linux also when this process is SIGKILLed
 * (setpriv's parent death signal; it replaces itself by the command, so the pid is the command's).
 */
export function spawnTied(
  command: string,
  args: readonly string[],
  options: SpawnOptions = {},
): ChildProcess {
  const setpriv = process.platform === 'linux' ? findOnPath('setpriv') : undefined;
  const child =
    setpriv === undefined
      ? spawn(command, args, options)
      : spawn(setpriv, ['--pdeathsig', 'KILL', '--', command, ...args], options);
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  return child;
}

/** Ends a child: the polite signal first, SIGKILL after the grace. Resolves when it is gone. */
export async function endProcess(
  child: ChildProcess,
  { signal = 'SIGTERM', graceMs = 5_000 }: { signal?: NodeJS.Signals; graceMs?: number } = {},
): Promise<void> {
  if (hasEnded(child)) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  const killLater = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await exited;
  clearTimeout(killLater);
}

export function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** The full path of an executable on PATH. */
export function findOnPath(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
