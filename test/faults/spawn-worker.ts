import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { spawnTied } from '../../src/embedded/tied-process.ts';
import type { WorkerOrder } from './worker-main.ts';

const main = fileURLToPath(new URL('worker-main.ts', import.meta.url));

export interface SpawnedWorker {
  /** How the process ended: the signal that killed it, or its exit code. */
  ended: Promise<NodeJS.Signals | number>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts a worker process; resolves when it polls. */
export async function spawnWorker(order: WorkerOrder): Promise<SpawnedWorker> {
  const child = spawnTied(process.execPath, [main, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4_000)));
  const ended = once(child, 'exit').then(([code, signal]) => (signal ?? code) as NodeJS.Signals | number);
  const isReady = await Promise.race([once(child.stdout!, 'data').then(() => true), ended.then(() => false)]);
  if (!isReady) throw new Error(`the worker ended at its start: ${output}`);
  return { ended, kill: (signal) => void child.kill(signal) };
}
