import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execFileAsync = promisify(execFile);

/** Runs a program to its end and returns what it printed; its last words are the error's message when it fails. */
export async function runProgram(
  command: string,
  args: readonly string[],
  options: { timeoutMs?: number; cwd?: string } = {},
): Promise<string> {
  try {
    const { stdout } = await execFileAsync(command, args, {
      timeout: options.timeoutMs ?? 0,
      killSignal: 'SIGKILL',
      maxBuffer: 16 * 1024 * 1024,
      ...(options.cwd !== undefined && { cwd: options.cwd }),
    });
    return stdout;
  } catch (error) {
    throw new Error(lastWords(error, options.timeoutMs), { cause: error });
  }
}

function lastWords(error: unknown, timeoutMs: number | undefined): string {
  if (!(error instanceof Error)) return String(error);
  if ('killed' in error && error.killed === true && timeoutMs !== undefined) {
    return `no answer within ${timeoutMs / 1000} s`;
  }
  const stderr = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr.trim() : '';
  return stderr === '' ? error.message : (stderr.split('\n').at(-1) ?? stderr);
}
