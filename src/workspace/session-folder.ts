import { createHash } from 'node:crypto';
import { lstat, mkdir, realpath, rm, unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { SessionRef } from '../contracts/ids.ts';
import { locate } from './contained-path.ts';
import { WorkspaceError } from './workspace.ts';

/** The runtime's own corner of a workspace: outputs, the home of commands, the marker. */
export const ownFolder = '.durascope';

const maxNameLength = 120;

/**
 * An id as the name of a folder. Different ids have different names, also where the file system ignores case, and no name begins with a
 * dot: all but lower-case letters, digits, `_`, `-` and dots inside are written as their bytes, `%41`.
 */
export function folderName(id: string): string {
  const name = [...Buffer.from(id)]
    .map((byte, index) => {
      const character = String.fromCharCode(byte);
      return /[a-z0-9_-]/.test(character) || (character === '.' && index > 0)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
  if (name.length <= maxNameLength) return name;
  return `${name.slice(0, 40)}~${createHash('sha256').update(id).digest('hex')}`;
}

/** The session's folder `<root>/<owner>/<session>`, made when it is not there; absolute, without links. */
export async function openSessionFolder(root: string, { owner, sessionId }: SessionRef): Promise<string> {
  const folder = join(resolve(root), folderName(owner), folderName(sessionId));
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const real = await realpath(folder);
    await makeOwnFolder(real);
    return real;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new WorkspaceError('unavailable', `the workspace can't be opened: ${message}`, { cause: error });
  }
}

/** Commands may have put anything in its place, a link that leads out too: nothing is made through one. */
async function makeOwnFolder(root: string): Promise<void> {
  const own = join(root, ownFolder);
  const stats = await lstat(own).catch(() => undefined);
  if (stats && !stats.isDirectory()) await unlink(own);
  // A home that commands spoiled for themselves is no reason not to open.
  const making = locate(root, `${ownFolder}/home/.keep`, async () => undefined, { makesFolders: true });
  await making.catch(() => undefined);
}

export async function removeSessionFolder(root: string, session: SessionRef): Promise<void> {
  const folder = join(resolve(root), folderName(session.owner), folderName(session.sessionId));
  for (const path of [folder, snapshotFolderOf(root, session)])
    await rm(path, { recursive: true, force: true });
}

/** Beside the workspaces, under a name that no owner's folder has. */
export function snapshotFolderOf(root: string, { owner, sessionId }: SessionRef): string {
  return join(resolve(root), '.snapshots', folderName(owner), `${folderName(sessionId)}.git`);
}
