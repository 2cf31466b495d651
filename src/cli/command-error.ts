/** The command line was understood and cannot be right. Ends with exit code 2. */
export class UsageError extends Error {
  readonly code = 'usage';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UsageError';
  }
}

/** A command could not do what it was asked for: what happened, with which value, and what to do. */
export class CommandError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CommandError';
    this.code = code;
  }
}
