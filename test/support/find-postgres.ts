import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findOnPath } from '../../src/embedded/tied-process.ts';

const debianFolder = '/usr/lib/postgresql';

/** The folder of initdb and postgres: Debian's newest, or the one on PATH. */
export function findPostgres(): string | undefined {
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder) : [];
  const newestFirst = versions.toSorted((a, b) => Number(b) - Number(a));
  const debian = newestFirst
    .map((version) => join(debianFolder, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
  if (debian !== undefined) return debian;
  const initdb = findOnPath('initdb');
  return initdb === undefined ? undefined : dirname(initdb);
}

/** For `describe.skipIf(!hasPostgres())`. In CI a suite is never skipped: there the setup before all tests fails. */
export function hasPostgres(): boolean {
  return findPostgres() !== undefined;
}

/** Installs PostgreSQL where that takes no password; says what is left out where it can't. Runs before all tests. */
export function ensurePostgres(): void {
  if (hasPostgres()) return;
  const isRoot = process.getuid?.() === 0;
  if (isRoot && findOnPath('apt-get') !== undefined) {
    console.log('PostgreSQL is missing: installing it with apt-get …');
    try {
      installFromDebian();
    } catch (error) {
      console.log(`apt-get failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (hasPostgres()) return;
  const remedy = 'install it (Debian: apt-get install postgresql) to run them';
  if (process.env['CI'] === 'true')
    throw new Error(`PostgreSQL is missing, and CI skips no suite: ${remedy}`);
  console.warn(`\n*** SKIPPED: the PostgreSQL suites. PostgreSQL is not installed; ${remedy}. ***\n`);
}

function installFromDebian(): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  execFileSync('apt-get', ['update', '-qq'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const install = ['install', '-y', '-qq', '--no-install-recommends', 'postgresql'];
  execFileSync('apt-get', install, { env, stdio: ['ignore', 'ignore', 'inherit'] });
}
