import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Child, startChild } from './child.ts';

const folder = fileURLToPath(new URL('../peer/', import.meta.url));

/** The peer's packages are installed apart, when they are wanted for the first time. */
export function startPeer(settings: {
  address: string;
  taskQueue: string;
  modelUrl: string;
}): Promise<Child> {
  install();
  return startChild(`${folder}worker-process.mjs`, settings, { cwd: folder });
}

function install(): void {
  if (existsSync(`${folder}node_modules/.package-lock.json`)) return;
  console.error("installing the peer's locked dependencies (npm ci in bench/peer) …");
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0)
    throw new Error('The peer is not installed: correct what npm says above, then run the bench again.');
}
