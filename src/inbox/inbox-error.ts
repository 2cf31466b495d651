/** Whether a message that was not delivered for this reason may be, when it is sent again as it is. */
const isPassing = {
  not_found: false,
  closed: false,
  refused: false,
  full: true,
  no_worker: true,
  unavailable: true,
} as const;

export type InboxErrorCode = keyof typeof isPassing;

/** Why a message was not delivered, in words that a model can act on. A repeat under the same id is harmless. */
export class InboxError extends Error {
  readonly code: InboxErrorCode;
  constructor(code: InboxErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'InboxError';
    this.code = code;
  }

  get isRetryable(): boolean {
    return isPassing[this.code];
  }
}
