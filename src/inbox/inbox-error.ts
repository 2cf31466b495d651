export type InboxErrorCode = 'not_found' | 'closed' | 'refused' | 'no_worker' | 'unavailable';

/** Why a message was not delivered, in words that a model can act on. A repeat under the same id is harmless. */
export class InboxError extends Error {
  readonly code: InboxErrorCode;
  constructor(code: InboxErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'InboxError';
    this.code = code;
  }
}
