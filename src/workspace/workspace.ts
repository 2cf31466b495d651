import type { SessionRef } from '../contracts/ids.ts';

/**
 * Where the files of sessions are and commands run: each session has a workspace of its own.
 *
 * **Contract:** `open` makes the workspace when it is not there. The paths of a workspace are the same for the file operations, for
 * commands, and for the model. Every back end passes test/workspace/backend-contract.ts.
 */
export interface WorkspaceBackend {
  /** What it is called in messages: `local`, `bubblewrap`, `docker`. */
  readonly name: string;
  /** What it was made with, as JSON and without secrets: it goes into the agent's revision. */
  readonly definition?: unknown;
  open(session: SessionRef): Promise<Workspace>;
  /** Deletes all that is kept for a session, its snapshots too. Does nothing when there is nothing. */
  remove(session: SessionRef): Promise<void>;
  /** Where snapshots of a session are kept, out of reach of its commands; absolute. */
  snapshotFolder(session: SessionRef): string;
}

/**
 * One session's files and commands. Paths are absolute or relative to `root`; file operations follow links and `..` only as long as they
 * stay inside, and throw a WorkspaceError otherwise.
 */
export interface Workspace {
  /** Absolute, without links. */
  readonly root: string;
  /** What `~` stands for in commands; absolute. */
  readonly home: string;

  /** @param options.maxBytes a larger file is `too_large` */
  read(path: string, options: { maxBytes: number }): Promise<Uint8Array>;
  /** Makes or replaces a file in one step: others see the old content or the new. Makes parents, keeps the mode. */
  write(path: string, content: Uint8Array): Promise<void>;
  /** Undefined when there is nothing. */
  stat(path: string): Promise<FileStat | undefined>;
  /** What is in a folder, in no order. Links are listed, not followed. */
  list(path: string): Promise<FolderEntry[]>;
  /** Absolute, links resolved; the last name need not exist. */
  realpath(path: string): Promise<string>;
  /** SHA-256 of a file's content in hex; undefined when there is none. */
  hash(path: string): Promise<string | undefined>;
  /** Makes an empty file to be written bit by bit. */
  create(path: string): Promise<FileWriter>;
  /** Deletes a file; does nothing when there is none. */
  remove(path: string): Promise<void>;
  /** `realpath` without waiting, for permission rules, and of paths outside too. A hint: nothing is opened by it. */
  peek(path: string): string;

  /**
   * Runs a program in the workspace; yields what it writes, read no faster than it is taken, and returns how it ended. Nothing that it
   * started outlives it, nor the generator, nor this process.
   *
   * @throws WorkspaceError `exec_failed` when it can't be started.
   */
  exec(command: Command, options: ExecOptions): AsyncGenerator<OutputChunk, ExecEnd, void>;
}

export interface FileStat {
  kind: 'file' | 'directory' | 'other';
  bytes: number;
  modifiedMs: number;
}

export interface FolderEntry {
  /** One that is not UTF-8 is shown with its bytes as `\xE9`; nothing is found by that. */
  name: string;
  kind: 'file' | 'directory' | 'link' | 'other';
  modifiedMs: number;
}

export interface FileWriter {
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** A command line for bash, or for sh where there is none; or a program with its arguments. */
export type Command = { shell: string } | { argv: readonly [string, ...string[]] };

export interface ExecOptions {
  /** After this the command and all that it started are ended: politely, then by force. */
  timeoutMs: number;
  signal: AbortSignal;
  /** A folder of the workspace. Default: its root. */
  cwd?: string;
}

export interface OutputChunk {
  from: 'stdout' | 'stderr';
  bytes: Buffer;
}

export interface ExecEnd {
  /** Null when a signal ended it. */
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** What ended it. */
  by: 'itself' | 'timeout' | 'abort';
}

export type WorkspaceErrorCode =
  | 'outside_workspace'
  | 'not_found'
  | 'is_directory'
  | 'not_a_directory'
  | 'not_a_file'
  | 'too_large'
  | 'exec_failed'
  | 'unavailable'
  | 'io';

export class WorkspaceError extends Error {
  readonly code: WorkspaceErrorCode;

  constructor(code: WorkspaceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'WorkspaceError';
    this.code = code;
  }
}
