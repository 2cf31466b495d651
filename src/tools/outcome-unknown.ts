/**
 * A tool throws it when it began to act and can't know what came of it, such as when a connection broke in mid-call. A call that may run
 * again does; any other becomes `uncertain`, and its turn waits until somebody says whether it happened.
 */
export class OutcomeUnknownError extends Error {
  readonly code = 'OutcomeUnknown';

  /** @param message what happened, for the person who finds out */
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OutcomeUnknownError';
  }
}
