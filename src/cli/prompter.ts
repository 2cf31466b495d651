import { createInterface } from 'node:readline';
import { TerminalOutput } from './terminal-output.ts';

export interface AskOptions {
  prefill?: string;
  /** What is typed is not shown, and not kept. */
  isSecret?: boolean;
  /** The call that it is asked about. */
  callId?: string;
  signal?: AbortSignal;
}

/**
 * Asks a person at the terminal. Resolves to undefined when there is no answer: the input ended, or `signal` aborted. Ctrl-C reaches the
 * process as it would without a question.
 */
export type Ask = (question: string, options?: AskOptions) => Promise<string | undefined>;

export const askAtTerminal: Ask = (question, { prefill, isSecret = false, signal } = {}) => {
  const output = new TerminalOutput(process.stdout.isTTY ? process.stdout : process.stderr);
  const lines = createInterface({
    input: process.stdin,
    output,
    // A secret needs the terminal's own echo off too, wherever the question is shown.
    terminal: isSecret || output.isTTY,
    historySize: 0,
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
    lines.once('close', () => {
      if (output.isMuted) output.showAgain();
      output.destroy();
      end(undefined);
    });
    lines.question(question, end);
    output.isMuted = isSecret;
    if (prefill !== undefined) lines.write(prefill);
  });
};
