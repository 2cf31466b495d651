/** One finding of `durascope doctor`. */
export interface Check {
  name: string;
  status: 'ok' | 'warn' | 'fail';
  message: string;
  /** What to do, where it is not ok. */
  fix?: string;
}

export const ok = (name: string, message: string): Check => ({ name, status: 'ok', message });
export const warn = (name: string, message: string, fix: string): Check => ({
  name,
  status: 'warn',
  message,
  fix,
});
export const fail = (name: string, message: string, fix: string): Check => ({
  name,
  status: 'fail',
  message,
  fix,
});
