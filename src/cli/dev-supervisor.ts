import { setTimeout as delay } from 'node:timers/promises';
import type { Flags } from '../settings/settings.ts';
import { describeError } from './report-error.ts';
import type { SourceWatcher } from './source-watcher.ts';
import type { Loaded } from './worker-messages.ts';
import { WorkerFailure, type WorkerProcess } from './worker-process.ts';

const firstBackoffMs = 500;
const maxBackoffMs = 30_000;
/** A worker that ran this long has not crashed at its start. */
const steadyMs = 60_000;

/** What a person who works on agents is told. */
export type DevReport =
  | { kind: 'ready'; loaded: Loaded }
  /** The config, or what it imports, can't be loaded; an earlier worker may go on with what it has. */
  | { kind: 'broken'; message: string; isServing: boolean }
  | { kind: 'not_started'; message: string; retryMs: number }
  | { kind: 'crashed'; how: string; retryMs: number };

export interface Supervised {
  flags: Flags;
  spawn: () => WorkerProcess;
  watcher: SourceWatcher;
  /** The embedded server's address, started when this is first asked; undefined where the settings name another. */
  temporal: (loaded: Loaded) => Promise<string | undefined>;
  report: (report: DevReport) => void;
  signal: AbortSignal;
}

/** Keeps a worker of the current source files running until `signal` aborts: through edits, broken ones too, and through crashes. */
export async function superviseWorker(supervised: Supervised): Promise<void> {
  const { watcher, report, signal } = supervised;
  const aborted = new Promise<'abort'>((resolve) => {
    signal.addEventListener('abort', () => resolve('abort'));
  });
  const backoff = new Backoff();
  let current: WorkerProcess | undefined;

  try {
    while (!signal.aborted) {
      watcher.reset();
      const change = watcher.change().then(() => 'change' as const);
      const reloaded = await reload(supervised, current);
      current = reloaded.current;
      if (reloaded.kind === 'not_started') {
        const retryMs = backoff.next();
        report({ kind: 'not_started', message: reloaded.message, retryMs });
        await Promise.race([change, aborted, pause(retryMs, signal)]);
        continue;
      }
      const startedAt = Date.now();
      const cause = await Promise.race([change, aborted, ...(current ? [current.ended] : [])]);
      if (cause === 'change' || Date.now() - startedAt > steadyMs) backoff.reset();
      if (cause === 'change' || cause === 'abort') continue;
      current = undefined;
      const retryMs = backoff.next();
      report({ kind: 'crashed', how: cause, retryMs });
      await Promise.race([change, aborted, pause(retryMs, signal)]);
    }
  } finally {
    await current?.stop();
  }
}

type Reloaded =
  | { kind: 'ready' | 'broken'; current: WorkerProcess | undefined }
  | { kind: 'not_started'; current: WorkerProcess | undefined; message: string };

/** Puts a worker of the present files in the place of the current one, which works on until the new one has loaded them. */
async function reload(supervised: Supervised, current: WorkerProcess | undefined): Promise<Reloaded> {
  const { flags, spawn, watcher, temporal, report, signal } = supervised;
  const next = spawn();
  const stopNext = (): void => void next.stop();
  signal.addEventListener('abort', stopNext);
  try {
    const loaded = await next.load(flags);
    watcher.add(loaded.files);
    try {
      const address = await temporal(loaded);
      await current?.stop();
      await next.start(address, 'WARN');
    } catch (error) {
      await next.stop();
      await current?.stop();
      return { kind: 'not_started', current: undefined, message: describeError(error).message };
    }
    report({ kind: 'ready', loaded });
    return { kind: 'ready', current: next };
  } catch (error) {
    await next.stop();
    if (!(error instanceof WorkerFailure)) throw error;
    // Its files are not to blame, and no edit may come.
    if (error.code === 'worker_ended' && !signal.aborted)
      return { kind: 'not_started', current, message: error.message };
    watcher.add(error.files);
    if (!signal.aborted) report({ kind: 'broken', message: error.message, isServing: current !== undefined });
    return { kind: 'broken', current };
  } finally {
    signal.removeEventListener('abort', stopNext);
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}

class Backoff {
  #nextMs = firstBackoffMs;

  next(): number {
    const ms = this.#nextMs;
    this.#nextMs = Math.min(ms * 2, maxBackoffMs);
    return ms;
  }

  reset(): void {
    this.#nextMs = firstBackoffMs;
  }
}
