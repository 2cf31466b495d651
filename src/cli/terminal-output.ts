import { Writable } from 'node:stream';

/** Standard output for readline, which shows what is typed, unless it is a secret. */
export class TerminalOutput extends Writable {
  readonly #target: NodeJS.WriteStream;
  isMuted = false;

  constructor(target: NodeJS.WriteStream) {
    super({ decodeStrings: false });
    this.#target = target;
    target.on('resize', this.#resized);
  }

  get isTTY(): boolean {
    return this.#target.isTTY;
  }
  get columns(): number {
    return this.#target.columns;
  }

  /** After a secret: the line's end was not shown either. */
  showAgain(): void {
    this.isMuted = false;
    this.write('\n');
  }

  // The target is written to by others as well: to keep the order, nothing waits here.
  override _write(chunk: string, _: BufferEncoding, done: () => void): void {
    if (!this.isMuted) this.#target.write(chunk);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#target.off('resize', this.#resized);
    done(error);
  }

  readonly #resized = (): void => void this.emit('resize');
}
