export type DurascopeErrorCode =
  | 'invalid_input'
  | 'not_found'
  | 'conflict'
  | 'unfit_answer'
  | 'forbidden'
  | 'busy'
  | 'waiting'
  | 'no_worker'
  | 'temporal_unavailable'
  | 'server_unavailable'
  | 'unauthenticated'
  | 'limited';

/** What a call of the client could not do: what happened, with which value, and what to do. */
export class DurascopeError extends Error {
  readonly code: DurascopeErrorCode;
  constructor(code: DurascopeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DurascopeError';
    this.code = code;
  }
}
