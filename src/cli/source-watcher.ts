import { watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';

const settleMs = 100;

/** Tells when one of a growing set of files has changed. It watches their folders, for editors replace files. */
export class SourceWatcher {
  readonly #files = new Set<string>();
  readonly #folders = new Map<string, FSWatcher>();
  #timer: NodeJS.Timeout | undefined;
  #hasChanged = false;
  #wake: (() => void) | undefined;

  add(files: Iterable<string>): void {
    for (const file of files) {
      this.#files.add(file);
      this.#watch(dirname(file));
    }
  }

  /** Resolves once a file has changed since the last `reset`, and has been left alone for a moment. */
  async change(): Promise<void> {
    if (!this.#hasChanged) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  reset(): void {
    this.#hasChanged = false;
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  #watch(folder: string): void {
    if (this.#folders.has(folder)) return;
    const watcher = watch(folder, (_, name) => {
      if (name !== null && !this.#isOurs(folder, name)) return;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => {
        this.#hasChanged = true;
        this.#wake?.();
      }, settleMs);
    });
    // The folder is gone: it is watched again when a config names a file of it.
    watcher.on('error', () => {
      watcher.close();
      this.#folders.delete(folder);
    });
    this.#folders.set(folder, watcher);
  }

  #isOurs(folder: string, name: string): boolean {
    return [...this.#files].some((file) => dirname(file) === folder && basename(file) === name);
  }
}
