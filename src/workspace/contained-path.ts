import { constants } from 'node:fs';
import { mkdir, open, readlink, type FileHandle } from 'node:fs/promises';
import { posix } from 'node:path';
import { WorkspaceError } from './workspace.ts';

const maxLinks = 40;
const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Where a path leads: a folder that is held open, and a name in it that was no link a moment ago. What is done by `at` can't be led
 * astray by folders that are swapped for links meanwhile: on Linux names are looked up from the open folder. Elsewhere they are looked up
 * by path again, which leaves a gap of microseconds.
 */
export interface Place {
  /** `name` in the open folder, to be opened with O_NOFOLLOW. */
  at: string;
  /** Another name in the same folder. */
  beside(name: string): string;
  /** Absolute, without links. */
  path: string;
}

/**
 * Finds a path's place and calls `use` with it. Links are followed and `..` goes up as the system would, never out of `root`.
 *
 * @param root absolute, without links
 * @param options.makesFolders makes what is missing above the last name
 * @throws WorkspaceError `outside_workspace`, `not_found`, `not_a_directory`
 */
export async function locate<T>(
  root: string,
  path: string,
  use: (place: Place) => Promise<T>,
  { makesFolders = false } = {},
): Promise<T> {
  const walk = new Walk(root, path, makesFolders);
  try {
    return await use(await walk.toPlace());
  } finally {
    await walk.end();
  }
}

interface OpenFolder {
  handle: FileHandle;
  path: string;
}

class Walk {
  readonly #root: string;
  readonly #shown: string;
  readonly #makesFolders: boolean;
  /** From the root down to where the walk is. */
  readonly #folders: OpenFolder[] = [];
  #ahead: string[];
  #links = 0;

  constructor(root: string, path: string, makesFolders: boolean) {
    this.#root = root;
    this.#shown = path;
    this.#makesFolders = makesFolders;
    this.#ahead = this.#segments(path);
  }

  async toPlace(): Promise<Place> {
    await this.#enter(this.#root, this.#root);
    for (;;) {
      const segment = this.#ahead.shift();
      if (segment === undefined) return this.#place('.');
      if (segment === '..') {
        if (this.#folders.length === 1) throw this.#outside();
        await this.#folders.pop()?.handle.close();
        continue;
      }
      const target = await readlink(this.#at(segment)).catch(() => undefined);
      if (target !== undefined) await this.#follow(target);
      else if (this.#ahead.length === 0) return this.#place(segment);
      else await this.#descend(segment);
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#folders.map(({ handle }) => handle.close()));
  }

  async #follow(target: string): Promise<void> {
    this.#links += 1;
    if (this.#links > maxLinks)
      throw new WorkspaceError('not_found', `${this.#shown}: its links go in circles`);
    if (target.startsWith('/')) {
      for (const { handle } of this.#folders.splice(1)) await handle.close();
      this.#ahead.unshift(...this.#segments(target));
    } else this.#ahead.unshift(...split(target));
  }

  async #descend(segment: string): Promise<void> {
    const at = this.#at(segment);
    const path = posix.join(this.#current.path, segment);
    try {
      await this.#enter(at, path);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || !this.#makesFolders) throw this.#explain(error, path);
      await mkdir(at).catch((error: unknown) => {
        if (codeOf(error) !== 'EEXIST') throw this.#explain(error, path);
      });
      await this.#enter(at, path).catch((error: unknown) => {
        throw this.#explain(error, path);
      });
    }
  }

  async #enter(at: string, path: string): Promise<void> {
    this.#folders.push({ handle: await open(at, folderFlags), path });
  }

  get #current(): OpenFolder {
    return this.#folders.at(-1)!;
  }

  #at(name: string): string {
    const { handle, path } = this.#current;
    return process.platform === 'linux' ? `/proc/self/fd/${handle.fd}/${name}` : posix.join(path, name);
  }

  #place(name: string): Place {
    return {
      at: this.#at(name),
      beside: (other) => this.#at(other),
      path: posix.join(this.#current.path, name),
    };
  }

  /** Below the root: an absolute path that begins elsewhere is outside. */
  #segments(path: string): string[] {
    if (path.includes('\0')) throw new WorkspaceError('not_found', 'a path has no NUL character');
    if (!path.startsWith('/')) return split(path);
    if (path !== this.#root && !path.startsWith(`${this.#root}/`)) throw this.#outside();
    return split(path.slice(this.#root.length));
  }

  #outside(): WorkspaceError {
    return new WorkspaceError(
      'outside_workspace',
      `${this.#shown} leads out of the workspace ${this.#root}: only what is in it can be reached`,
    );
  }

  #explain(error: unknown, path: string): WorkspaceError {
    const at = path.slice(this.#root.length + 1);
    const why: Record<string, WorkspaceError> = {
      ENOENT: new WorkspaceError('not_found', `${this.#shown}: there is no folder ${at}`),
      ENOTDIR: new WorkspaceError('not_a_directory', `${this.#shown}: ${at} is no folder`),
      ELOOP: new WorkspaceError('not_a_directory', `${this.#shown}: ${at} was swapped for a link meanwhile`),
    };
    return why[codeOf(error)] ?? ioError(this.#shown, error);
  }
}

function split(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '' && segment !== '.');
}

export function ioError(path: string, error: unknown): WorkspaceError {
  if (error instanceof WorkspaceError) return error;
  const message = error instanceof Error ? error.message.replaceAll(/ '[^']*'/g, '') : String(error);
  return new WorkspaceError('io', `${path}: ${message}`, { cause: error });
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
