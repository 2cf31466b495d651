// Runs before every npm script, with whatever Node the machine has: installs the locked dependencies where they are absent or stale.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

if (!isInstalled()) install();

/** Whether npm's own record of node_modules holds every package of the lockfile, in its version. */
function isInstalled() {
  const wanted = readPackages('package-lock.json');
  const present = readPackages('node_modules/.package-lock.json');
  if (!wanted || !present || !existsSync(join(root, 'node_modules/.bin/node'))) return false;
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    // npm leaves out optional packages that are for other platforms.
    if (path === '' || (optional && !present[path])) return true;
    return present[path]?.version === version;
  });
}

/** @returns {Record<string, { version?: string, optional?: boolean }> | undefined} */
function readPackages(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

function install() {
  console.error('installing the locked dependencies (npm ci) …');
  // Under npm its own program is known; PATH may hold another one.
  const npm = process.env.npm_execpath;
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const [command, commandArgs] = npm?.endsWith('.js') ? [process.execPath, [npm, ...args]] : ['npm', args];
  const { status, error } = spawnSync(command, commandArgs, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status === 0 && isInstalled()) return;
  const what =
    error?.message ?? (status === 0 ? 'npm ci left packages out' : `npm ci ended with code ${status}`);
  console.error(
    `The dependencies are not installed: ${what}. Correct what it says above, then run \`npm ci\`.`,
  );
  process.exit(1);
}
