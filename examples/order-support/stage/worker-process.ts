import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { endProcess, spawnTied } from '../../../src/embedded/tied-process.ts';

const program = fileURLToPath(new URL('../worker.ts', import.meta.url));

export interface WorkerProcess {
  pid: number;
  /** SIGKILL: nothing in the process gets to run any more. Resolves when it is gone. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a worker in a process of its own; resolves when it has connected.
 *
 * @param onLost told when it ends without `kill` or `stop`
 */
export async function startWorkerProcess(
  env: Record<string, string>,
  logFile: string,
  onLost: (error: Error) => void,
): Promise<WorkerProcess> {
  // Detached: Ctrl-C must not reach it beside us, who stop it in order.
  const child = spawnTied(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const log = createWriteStream(logFile);
  child.stdout?.pipe(log, { end: false });
  child.stderr?.pipe(log, { end: false });

  let isExpected = false;
  const lost = once(child, 'exit').then(async ([code, signal]) => {
    if (isExpected) return;
    const tail = (await readFile(logFile, 'utf8')).trim().split('\n').slice(-12).join('\n');
    const error = new Error(
      `A worker ended by itself (${signal ?? `exit code ${code}`}). It said, in ${logFile}:\n${tail}`,
    );
    onLost(error);
    throw error;
  });
  // Whoever waits for the start sees it; later on `onLost` tells.
  lost.catch(() => {});

  const { pid, stdout } = child;
  if (pid === undefined || stdout === null) throw new Error('The worker could not be started.');
  await Promise.race([once(stdout, 'data'), lost]);
  return {
    pid,
    async kill() {
      isExpected = true;
      await endProcess(child, { signal: 'SIGKILL' });
    },
    async stop() {
      isExpected = true;
      await endProcess(child, { graceMs: 5_000 });
    },
  };
}
