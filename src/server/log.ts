/** Where the server writes what happens: pino, or what looks like it. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const silent: Log = { info() {}, warn() {}, error() {} };
