import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const maxHeapMb = 512;
const maxBuffersBytes = 512 * 1024 * 1024;
const lookMs = 100;

export interface ThreadLimits {
  signal: AbortSignal;
  /** Default: 15,000. */
  timeoutMs?: number | undefined;
}

/** What the file posts, once. */
export type Answer<T> = { value: T } | { refused: string };

/**
 * Runs a file in a thread of its own: what strangers wrote can take minutes and gigabytes to read, and must cost its own call and not hold
 * up all else that this process does.
 *
 * @param file posts an `Answer`
 * @throws Error that says what the file refused; `tooMuch` when it took more than time or memory allow; the signal's reason.
 */
export async function inThread<T>(
  file: URL,
  workerData: unknown,
  { signal, timeoutMs = 15_000, tooMuch }: ThreadLimits & { tooMuch: string },
): Promise<T> {
  signal.throwIfAborted();
  const worker = new Worker(file, { workerData, resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } });
  const ended = new AbortController();
  const ending = AbortSignal.any([signal, ended.signal, AbortSignal.timeout(timeoutMs)]);
  const looking = endWhenLarge(worker, ended);
  let answer: Answer<T>;
  try {
    [answer] = (await once(worker, 'message', { signal: ending })) as [Answer<T>];
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(tooMuch, { cause: error });
  } finally {
    clearInterval(looking);
    await worker.terminate();
  }
  if ('refused' in answer) throw new Error(answer.refused);
  return answer.value;
}

/** Limits of a thread bound its heap, and not the buffers beside it, where what is unpacked lands. */
function endWhenLarge(worker: Worker, ended: AbortController): NodeJS.Timeout {
  const look = async () => {
    // A thread that is not up yet, or no more, has no figures.
    const figures = await worker.getHeapStatistics().catch(() => undefined);
    const bytes = figures?.external_memory ?? 0;
    if (bytes > maxBuffersBytes) ended.abort(new Error(`it took ${bytes} bytes`));
  };
  return setInterval(() => void look(), lookMs);
}
