import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const maxHeapMb = 512;

// Beside this file: a .ts one in the sources, a .js one in the package.
const thread = new URL(import.meta.url.replace(/convert-page(\.[jt]s)$/, 'markdown-thread$1'));

/**
 * `toMarkdown` in a thread of its own, because a page made for it takes minutes: it must cost its own call and not hold up all else that
 * this process does.
 *
 * @throws Error when the page is more than time or memory allow; the signal's reason when it aborts.
 */
export async function convertPage(
  html: string,
  base: URL,
  { signal, timeoutMs = 15_000 }: { signal: AbortSignal; timeoutMs?: number },
): Promise<{ title: string; markdown: string }> {
  const worker = new Worker(thread, {
    workerData: { html, base: base.href },
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  });
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const [converted] = (await once(worker, 'message', { signal: AbortSignal.any([signal, limit]) })) as [
      { title: string; markdown: string },
    ];
    return converted;
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(`${base.href} is too large or too intricate to be read as a page`, { cause: error });
  } finally {
    await worker.terminate();
  }
}
