type EmbeddedTemporalErrorCode = 'cli_not_found' | 'unreachable' | 'failed_to_start' | 'data_in_use';

/** The embedded Temporal can't be had; the message says why and what to do. */
export class EmbeddedTemporalError extends Error {
  override readonly name = 'EmbeddedTemporalError';
  readonly code: EmbeddedTemporalErrorCode;

  constructor(code: EmbeddedTemporalErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
