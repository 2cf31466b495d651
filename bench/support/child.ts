import { once } from 'node:events';
import { spawnTied } from '../../src/embedded/tied-process.ts';

export interface Child {
  /** What the process said of itself once it was ready. */
  hello: unknown;
  call<T>(method: string, ...args: unknown[]): Promise<T>;
  /** Ends it politely, and waits for that. */
  stop(): Promise<void>;
}

type Answer = { ready: unknown } | { id: number; value?: unknown; error?: string };

/** Starts a program that serves calls as `serve.ts` does, in a process of its own; it never outlives this one. */
export async function startChild(
  file: string,
  settings: unknown,
  options: { cwd?: string; execArgv?: readonly string[] } = {},
): Promise<Child> {
  const process_ = spawnTied(
    process.execPath,
    [...(options.execArgv ?? []), file, JSON.stringify(settings)],
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], ...(options.cwd ? { cwd: options.cwd } : {}) },
  );
  const exited = once(process_, 'exit');
  const waiting = new Map<number, (answer: Answer) => void>();
  let calls = 0;
  const ready = Promise.withResolvers<unknown>();
  process_.on('message', (answer: Answer) => {
    if ('ready' in answer) return ready.resolve(answer.ready);
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  const died = exited.then(([code]) => {
    for (const settle of waiting.values()) settle({ id: 0, error: `${file} ended (${code})` });
    return Promise.reject(new Error(`${file} ended (${code}) before it was ready`));
  });
  died.catch(() => undefined);

  return {
    hello: await Promise.race([ready.promise, died]),
    call<T>(method: string, ...args: unknown[]) {
      calls += 1;
      const id = calls;
      return new Promise<T>((resolve, reject) => {
        waiting.set(id, (answer) => {
          if ('error' in answer && answer.error !== undefined)
            reject(new Error(`${method} of ${file}: ${answer.error}`));
          else resolve('value' in answer ? (answer.value as T) : (undefined as T));
        });
        process_.send({ id, method, args });
      });
    },
    async stop() {
      if (process_.exitCode !== null || process_.signalCode !== null) return;
      process_.send({ id: 0, method: 'stop', args: [] });
      await exited;
    },
  };
}
