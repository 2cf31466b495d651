import { colorsOf } from './colors.ts';

/** Tells a person, or with `--json` a program, what went wrong: on stderr, and without a stack unless DURASCOPE_DEBUG=1. */
export function reportError(error: unknown, isJson: boolean): void {
  const { code, message } = describeError(error);
  const line = isJson
    ? JSON.stringify({ error: { code, message } })
    : `${colorsOf(process.stderr).red('error')} ${message}`;
  process.stderr.write(`${line}\n`);
  if (process.env['DURASCOPE_DEBUG'] === '1' && error instanceof Error)
    process.stderr.write(`${withCauses(error)}\n`);
}

export function describeError(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: 'Internal', message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'Internal';
  return { code, message: error.message || error.name };
}

function withCauses(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${withCauses(error.cause)}` : '';
  return `${error.stack ?? error.message}${cause}`;
}
