import { createHash, randomUUID } from 'node:crypto';
import { constants, readlinkSync, type Stats } from 'node:fs';
import { lstat, open, readdir, rename, unlink, type FileHandle } from 'node:fs/promises';
import { posix } from 'node:path';
import { notThere, shownName } from './odd-names.ts';
import { codeOf, ioError, locate, type Place } from './contained-path.ts';
import { WorkspaceError, type FileStat, type FolderEntry, type Workspace } from './workspace.ts';

/** The part of a workspace that works on a folder of this machine. */
export type FolderFiles = Omit<Workspace, 'exec' | 'home'>;

// Not blocking: to open a pipe that nobody writes would wait for ever.
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** @param root absolute, without links */
export function folderFiles(root: string): FolderFiles {
  return {
    root,
    read: (path, { maxBytes }) =>
      withFile(root, path, async (file, { size }) => {
        if (size > maxBytes) throw tooLarge(path, size, maxBytes);
        const content = await file.readFile();
        if (content.byteLength > maxBytes) throw tooLarge(path, content.byteLength, maxBytes);
        return content;
      }),
    write: (path, content) =>
      locate(root, path, (place) => replace(place, path, content), { makesFolders: true }),
    async stat(path) {
      try {
        return await locate(root, path, async ({ at }) => toStat(await lstat(at)));
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw ioError(path, error);
      }
    },
    list: (path) => locate(root, path, (place) => listFolder(place, path)),
    realpath: (path) => locate(root, path, async (place) => place.path),
    async hash(path) {
      try {
        return await withFile(root, path, async (file) => {
          const hash = createHash('sha256');
          for await (const chunk of file.createReadStream({ autoClose: false })) hash.update(chunk as Buffer);
          return hash.digest('hex');
        });
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    create: (path) =>
      locate(
        root,
        path,
        async ({ at }) => {
          await unlink(at).catch(() => undefined);
          const file = await open(at, createFlags, 0o644).catch((error: unknown) => {
            throw ioError(path, error);
          });
          return {
            write: (bytes) => file.writeFile(bytes),
            close: () => file.close(),
          };
        },
        { makesFolders: true },
      ),
    async remove(path) {
      await locate(root, path, ({ at }) => unlink(at)).catch((error: unknown) => {
        if (!isMissing(error)) throw ioError(path, error);
      });
    },
    peek: (path) => peek(posix.resolve(root, path)),
  };
}

async function withFile<T>(
  root: string,
  path: string,
  use: (file: FileHandle, stats: Stats) => Promise<T>,
): Promise<T> {
  return locate(root, path, async ({ at }) => {
    const file = await open(at, readFlags).catch((error: unknown) => {
      throw openError(path, error);
    });
    try {
      const stats = await file.stat();
      if (stats.isDirectory()) throw isDirectory(path);
      if (!stats.isFile())
        throw new WorkspaceError('not_a_file', `${path} is no regular file but a device, pipe or socket`);
      return await use(file, stats);
    } finally {
      await file.close();
    }
  });
}

async function replace(place: Place, path: string, content: Uint8Array): Promise<void> {
  const before = await lstat(place.at).catch(() => undefined);
  if (before?.isDirectory()) throw isDirectory(path);
  if (before && !before.isFile())
    throw new WorkspaceError('not_a_file', `${path} is no regular file: it can't be replaced`);
  const draft = place.beside(`.durascope-${randomUUID()}`);
  try {
    const file = await open(draft, createFlags, 0o666);
    try {
      await file.writeFile(content);
      // As it was given, whatever the umask.
      if (before) await file.chmod(before.mode & 0o7777);
    } finally {
      await file.close();
    }
    await rename(draft, place.at);
  } catch (error) {
    await unlink(draft).catch(() => undefined);
    throw ioError(path, error);
  }
}

async function listFolder({ at }: Place, path: string): Promise<FolderEntry[]> {
  const folder = await open(at, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(
    (error: unknown) => {
      throw codeOf(error) === 'ENOTDIR'
        ? new WorkspaceError('not_a_directory', `${path} is no folder`)
        : openError(path, error);
    },
  );
  try {
    const inside = process.platform === 'linux' ? `/proc/self/fd/${folder.fd}` : at;
    const names = await readdir(inside, { encoding: 'buffer' });
    const entries = await Promise.all(
      names.map(async (bytes) => {
        const stats = await lstat(Buffer.concat([Buffer.from(`${inside}/`), bytes])).catch(() => undefined);
        if (!stats) return undefined;
        const { name, isText } = shownName(bytes);
        const kind = stats.isSymbolicLink() ? ('link' as const) : kindOf(stats);
        // It can't be entered by the name that is shown.
        return { name, kind: isText ? kind : ('other' as const), modifiedMs: stats.mtimeMs };
      }),
    );
    return entries.filter((entry) => entry !== undefined);
  } finally {
    await folder.close();
  }
}

const maxLinks = 40;

/** Links resolved, dangling ones too; what is not there is as it is written. */
function peek(path: string): string {
  const ahead = path.split('/');
  let at = '/';
  for (let links = 0; ahead.length > 0;) {
    const next = posix.join(at, ahead.shift()!);
    const target = linkAt(next);
    if (target === undefined) at = next;
    else if (++links > maxLinks) return path;
    else {
      ahead.unshift(...target.split('/'));
      if (target.startsWith('/')) at = '/';
    }
  }
  return at;
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function toStat(stats: Stats): FileStat {
  return { kind: kindOf(stats), bytes: stats.size, modifiedMs: stats.mtimeMs };
}

function kindOf(stats: Stats): FileStat['kind'] {
  return stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : 'other';
}

function isMissing(error: unknown): boolean {
  if (error instanceof WorkspaceError) return error.code === 'not_found' || error.code === 'not_a_directory';
  return codeOf(error) === 'ENOENT';
}

function openError(path: string, error: unknown): WorkspaceError {
  const code = codeOf(error);
  if (code === 'ENOENT') return notThere(path);
  if (code === 'ELOOP')
    return new WorkspaceError('not_a_file', `${path} was swapped for a link meanwhile: it is not opened`);
  if (code === 'ENXIO') return new WorkspaceError('not_a_file', `${path} is no regular file but a socket`);
  return ioError(path, error);
}

function isDirectory(path: string): WorkspaceError {
  return new WorkspaceError('is_directory', `${path} is a folder, not a file`);
}

function tooLarge(path: string, bytes: number, maxBytes: number): WorkspaceError {
  return new WorkspaceError(
    'too_large',
    `${path} has ${bytes} bytes, more than the ${maxBytes} that are read at once`,
  );
}
