import { lstat, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** Where Git puts the locks that snapshots need. */
const lockFolders = ['.', 'refs/snapshots'];

/** A pid alone is no name: in a container that is started again it is the same. */
const self = { host: hostname(), pid: process.pid, since: performance.timeOrigin };

/**
 * Says who works in a repository, and takes away the locks of one that died in it: Git leaves them, and refuses all that follows. A lock is
 * stale when this machine has no process of its holder any more, which takes its Git along, or when it is older than any command may take.
 *
 * @returns what gives the repository back.
 */
export async function claimRepository(
  folder: string,
  { longestMs }: { longestMs: number },
): Promise<() => Promise<void>> {
  const holderFile = join(folder, 'holder.json');
  const before = await readFile(holderFile, 'utf8').catch(() => undefined);
  await removeLocks(folder, before !== undefined && hasDied(before) ? 0 : longestMs);
  await writeFile(holderFile, JSON.stringify(self));
  return () => rm(holderFile, { force: true });
}

async function removeLocks(folder: string, olderThanMs: number): Promise<void> {
  for (const place of lockFolders) {
    const names = await readdir(join(folder, place)).catch(() => []);
    for (const name of names.filter((each) => each.endsWith('.lock'))) {
      const path = join(folder, place, name);
      const stats = await lstat(path).catch(() => undefined);
      if (stats && Date.now() - stats.mtimeMs >= olderThanMs) await rm(path, { force: true });
    }
  }
}

function hasDied(holder: string): boolean {
  try {
    const { host, pid, since } = JSON.parse(holder) as Partial<Record<keyof typeof self, unknown>>;
    if (host !== self.host || typeof pid !== 'number') return false;
    if (pid === self.pid) return since !== self.since;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    // One of another user lives, too. What was cut off in the writing names nobody.
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
