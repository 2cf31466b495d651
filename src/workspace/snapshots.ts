import { lstat, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describeError } from '../tools/tool-errors.ts';
import { claimRepository } from './git-locks.ts';
import { Git } from './git.ts';
import { ownFolder } from './session-folder.ts';

export interface SnapshotOptions {
  /** Larger files are left out. Default: 10 MiB. */
  maxFileBytes?: number;
  /** More files than this are left out. Default: 20,000. */
  maxFiles?: number;
  /** How many are kept, the newest. Default: 100. */
  maxSnapshots?: number;
}

export interface Snapshot {
  /** The turn before whose first change it was taken; `undo`: before the last restore. */
  id: string;
  /** ISO 8601. */
  at: string;
  files: number;
  /** What it does not hold besides what `.gitignore` files name, and why; the first hundred. */
  leftOut: readonly LeftOut[];
  /** How many are left out in all. */
  leftOutCount: number;
}

export interface LeftOut {
  path: string;
  why: 'too_large' | 'too_many' | 'repository';
}

export interface SnapshotFailure {
  /** The turn before whose first change it was tried. */
  id: string;
  /** ISO 8601. */
  at: string;
  why: string;
}

export const undoId = 'undo';
const maxNamed = 100;

/** What a workspace held before turns, in a Git repository beside it. Empty folders and what is ignored are not in it. */
export class WorkspaceSnapshots {
  readonly #root: string;
  readonly #gitFolder: string;
  readonly #options: Required<SnapshotOptions>;
  readonly #git: Git;

  /**
   * @param root of the workspace
   * @param gitFolder out of reach of the workspace's commands; made when it is needed
   */
  constructor(root: string, gitFolder: string, options: SnapshotOptions = {}) {
    this.#root = root;
    this.#gitFolder = gitFolder;
    this.#options = { maxFileBytes: 10 * 1024 * 1024, maxFiles: 20_000, maxSnapshots: 100, ...options };
    this.#git = new Git({ folder: gitFolder, workTree: root });
  }

  /** Takes one, unless there is one of this id. @throws Error when Git can't be run, or fails. */
  async take(id: string, signal?: AbortSignal): Promise<void> {
    try {
      await this.#prepare();
      if (await this.#commitOf(id)) return;
      await this.#commit(id, signal);
    } catch (error) {
      await this.#rememberFailure(id, describeError(error));
      throw error;
    }
    await rm(this.#failureFile(), { force: true });
    await this.#forgetOld();
  }

  /** Why the last one that was tried could not be taken; undefined when it was. */
  async failure(): Promise<SnapshotFailure | undefined> {
    const text = await readFile(this.#failureFile(), 'utf8').catch(() => undefined);
    return text === undefined ? undefined : (JSON.parse(text) as SnapshotFailure);
  }

  /** Oldest first, `undo` last. */
  async list(): Promise<Snapshot[]> {
    if (!(await this.#exists())) return [];
    const format = '%(refname:lstrip=2)%00%(creatordate:iso-strict)%00%(contents:subject)';
    const lines = (await this.#git.run(['for-each-ref', `--format=${format}`, 'refs/snapshots'])).split('\n');
    return lines
      .filter((line) => line !== '')
      .map((line) => {
        const [id = '', at = '', subject = '{}'] = line.split('\0');
        return { id, at, ...(JSON.parse(subject) as Omit<Snapshot, 'id' | 'at'>) };
      })
      .toSorted((a, b) => order(a.id) - order(b.id));
  }

  /**
   * Makes the workspace's files what they were; those that snapshots leave out stay as they are. What was there before becomes the snapshot
   * `undo`. Not to be called while a turn works in it.
   *
   * @throws Error when there is no such snapshot.
   */
  async restore(id: string): Promise<void> {
    const commit = (await this.#exists()) ? await this.#commitOf(id) : undefined;
    if (commit === undefined) {
      const known = (await this.list()).map((snapshot) => snapshot.id);
      throw new Error(
        `there is no snapshot "${id}": ${known.length === 0 ? 'none was taken' : `there are ${known.join(', ')}`}`,
      );
    }
    await this.#commit(undoId);
    await this.#git.run(['read-tree', '-u', '--reset', commit]);
  }

  #failureFile(): string {
    return join(this.#gitFolder, 'failure.json');
  }

  async #rememberFailure(id: string, why: string): Promise<void> {
    const failure: SnapshotFailure = { id, at: new Date().toISOString(), why };
    await mkdir(this.#gitFolder, { recursive: true, mode: 0o700 });
    await writeFile(this.#failureFile(), JSON.stringify(failure));
  }

  async #prepare(): Promise<void> {
    if (await this.#exists()) return;
    await mkdir(this.#gitFolder, { recursive: true, mode: 0o700 });
    await this.#git.run(['init', '--quiet']);
    // What files say of themselves must not change a byte of them, nor run a program.
    await mkdir(join(this.#gitFolder, 'info'), { recursive: true });
    const attributes = '* -text -filter -ident -working-tree-encoding -merge\n';
    await writeFile(join(this.#gitFolder, 'info', 'attributes'), attributes);
    await writeFile(join(this.#gitFolder, 'info', 'exclude'), `/${ownFolder}/\n`);
  }

  async #exists(): Promise<boolean> {
    return lstat(join(this.#gitFolder, 'info', 'exclude')).then(
      () => true,
      () => false,
    );
  }

  async #commitOf(id: string): Promise<string | undefined> {
    if (!/^[a-z0-9]+$/.test(id)) return undefined;
    const args = ['rev-parse', '--verify', '--quiet', `refs/snapshots/${id}`];
    return this.#git.run(args).then(
      (commit) => commit.trim(),
      () => undefined,
    );
  }

  async #commit(id: string, signal?: AbortSignal): Promise<void> {
    const release = await claimRepository(this.#gitFolder, { longestMs: this.#git.timeoutMs });
    try {
      await this.#commitFiles(id, signal);
    } finally {
      await release();
    }
  }

  async #commitFiles(id: string, signal?: AbortSignal): Promise<void> {
    const blocking = await this.#git.blockingFile(signal);
    if (blocking !== undefined) throw new Error(`${blocking} is no file, and Git can't read it: remove it`);
    const { kept, gone, leftOut } = await this.#choose(signal);
    const dropped = [...gone, ...leftOut.map(({ path }) => path)];
    await this.#git.run(['update-index', '-z', '--force-remove', '--stdin'], dropped.join('\0'), signal);
    await this.#git.run(
      ['update-index', '-z', '--add', '--remove', '--replace', '--stdin'],
      kept.join('\0'),
      signal,
    );
    const tree = (await this.#git.run(['write-tree'])).trim();
    const about = { files: kept.length, leftOut: leftOut.slice(0, maxNamed), leftOutCount: leftOut.length };
    const commit = (await this.#git.run(['commit-tree', tree], JSON.stringify(about))).trim();
    await this.#git.run(['update-ref', `refs/snapshots/${id}`, commit]);
  }

  /** `gone`: what the last snapshot had and is no more, or only behind a link that took its folder's place. */
  async #choose(signal?: AbortSignal): Promise<{ kept: string[]; gone: string[]; leftOut: LeftOut[] }> {
    const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'];
    const paths = (await this.#git.run(args, '', signal)).split('\0').filter((path) => path !== '');
    const isReal = realFolders(this.#root);
    const kept: string[] = [];
    const gone: string[] = [];
    const leftOut: LeftOut[] = [];
    for (const path of paths) {
      const stats = await lstat(join(this.#root, path)).catch(() => undefined);
      if (!stats || !(await isReal(dirname(path)))) gone.push(path);
      else if (path.endsWith('/')) leftOut.push({ path, why: 'repository' });
      else if (stats.isFile() && stats.size > this.#options.maxFileBytes)
        leftOut.push({ path, why: 'too_large' });
      else if (kept.length >= this.#options.maxFiles) leftOut.push({ path, why: 'too_many' });
      else kept.push(path);
    }
    return { kept, gone, leftOut };
  }

  async #forgetOld(): Promise<void> {
    const ids = (await this.list()).map(({ id }) => id).filter((id) => id !== undoId);
    const old = ids.slice(0, Math.max(0, ids.length - this.#options.maxSnapshots));
    for (const id of old) await this.#git.run(['update-ref', '-d', `refs/snapshots/${id}`]);
    await this.#git.run(['gc', '--auto', '--quiet']);
  }
}

function order(id: string): number {
  return id === undoId ? Number.POSITIVE_INFINITY : Number(id);
}

/** Tells folders from links to folders, each asked for once. */
function realFolders(root: string): (folder: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  return (folder) => {
    const path = join(root, folder);
    const asked =
      known.get(path) ??
      realpath(path).then(
        (real) => real === path,
        () => false,
      );
    known.set(path, asked);
    return asked;
  };
}
