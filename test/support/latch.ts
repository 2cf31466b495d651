/** A promise that a test resolves when it is ready: what tools wait for instead of sleeping. */
export class Latch<T = void> {
  readonly promise: Promise<T>;
  open!: (value: T) => void;

  constructor() {
    this.promise = new Promise((resolve) => {
      this.open = resolve;
    });
  }
}
