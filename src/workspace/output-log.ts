import { posix } from 'node:path';
import type { FileWriter, OutputChunk, Workspace } from './workspace.ts';

export interface OutputLimits {
  /** Characters of a command's output that the model gets. */
  maxChars: number;
  /** Bytes that are kept in all. */
  maxBytes: number;
}

/** Outputs of a session that are kept, the newest. */
const maxLogs = 50;
const tailBytes = 6_000;
const maxUnseenTail = 2_000;

/**
 * A command's output: its beginning for the model; once that is full, all of it in a file of the workspace. In memory is never more than the
 * beginning and the end.
 */
export class OutputLog {
  readonly path: string;
  bytes = 0;
  isBinary = false;
  readonly #workspace: Workspace;
  readonly #limits: OutputLimits;
  readonly #decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  #head: Buffer[] | undefined = [];
  #shownChars = 0;
  #shownBytes = 0;
  #tail = Buffer.alloc(0);
  #file: FileWriter | undefined;

  /** @param path where the whole output goes when it is too long to be shown */
  constructor(workspace: Workspace, path: string, limits: OutputLimits) {
    this.#workspace = workspace;
    this.path = path;
    this.#limits = limits;
  }

  /** Not all of it was shown. */
  get isCut(): boolean {
    return this.#file !== undefined;
  }

  get isFull(): boolean {
    return this.bytes >= this.#limits.maxBytes;
  }

  /** Takes in a piece; returns what of it is to be shown. */
  async add({ from, bytes }: OutputChunk): Promise<string> {
    this.bytes += bytes.length;
    this.#tail = Buffer.from(Buffer.concat([this.#tail, bytes]).subarray(-tailBytes));
    this.isBinary ||= bytes.includes(0);
    const text = this.isBinary ? '' : this.#decoders[from].decode(bytes, { stream: true });
    const shown = text.slice(0, this.#limits.maxChars - this.#shownChars);
    this.#shownChars += shown.length;
    this.#shownBytes += Buffer.byteLength(shown);
    await this.#keep(bytes, this.isBinary || shown.length < text.length);
    return shown;
  }

  /** The last of the output, for a message: text that was shown already or not. */
  get tail(): string {
    if (this.isBinary) return '';
    const text = new TextDecoder().decode(this.#tail);
    return this.bytes > this.#tail.length ? `…${text.slice(text.search(/[^\uFFFD]/))}` : text;
  }

  /** What the tail shows that the beginning did not. */
  get unseenTail(): string {
    const unseen = Math.min(maxUnseenTail, this.bytes - this.#shownBytes);
    return unseen === 0 ? '' : this.tail.slice(-unseen);
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  async #forgetOld(): Promise<void> {
    const folder = posix.dirname(this.path);
    const logs = (await this.#workspace.list(folder)).toSorted((a, b) => b.modifiedMs - a.modifiedMs);
    for (const { name } of logs.slice(maxLogs)) await this.#workspace.remove(posix.join(folder, name));
  }

  async #keep(bytes: Buffer, isOver: boolean): Promise<void> {
    if (!this.#file && !isOver) {
      this.#head?.push(Buffer.from(bytes));
      return;
    }
    if (!this.#file) {
      this.#file = await this.#workspace.create(this.path);
      await this.#forgetOld();
      for (const piece of this.#head ?? []) await this.#file.write(piece);
      this.#head = undefined;
    }
    await this.#file.write(bytes);
  }
}
