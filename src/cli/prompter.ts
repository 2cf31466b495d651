import { createInterface } from 'node:readline';

/**
 * Asks a person at the terminal. Resolves to undefined when there is no answer: the input ended, or `signal` aborted. Ctrl-C reaches the
 * process as it would without a question.
 */
export type Ask = (
  question: string,
  options?: { prefill?: string; signal?: AbortSignal },
) => Promise<string | undefined>;

export const askAtTerminal: Ask = (question, { prefill, signal } = {}) => {
  const lines = createInterface({
    input: process.stdin,
    output: process.stdout.isTTY ? process.stdout : process.stderr,
  });
  return new Promise((resolve) => {
    const end = (answer: string | undefined): void => {
      signal?.removeEventListener('abort', abort);
      resolve(answer);
      lines.close();
    };
    const abort = (): void => end(undefined);
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) return end(undefined);
    lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    lines.on('close', () => end(undefined));
    lines.question(question, end);
    if (prefill !== undefined) lines.write(prefill);
  });
};
