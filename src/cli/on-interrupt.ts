import { exitCode } from './exit-codes.ts';

/** The first SIGINT or SIGTERM calls `once`; another ends the process at once. Returns how to stop listening. */
export function onInterrupt(
  once: (signal: NodeJS.Signals) => void,
  signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM'],
): () => void {
  let isAsked = false;
  const listener = (signal: NodeJS.Signals): void => {
    if (isAsked) process.exit(exitCode.aborted);
    isAsked = true;
    once(signal);
  };
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}
