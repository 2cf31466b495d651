export type SettingsErrorCode =
  | 'config_not_found'
  | 'config_invalid'
  | 'temporal_unknown'
  | 'temporal_invalid'
  | 'store_mismatch'
  | 'port_invalid';

/** A setting is missing or cannot be used; the message names it and the remedy. */
export class SettingsError extends Error {
  readonly code: SettingsErrorCode;

  constructor(code: SettingsErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SettingsError';
    this.code = code;
  }
}
