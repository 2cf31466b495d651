import type { RouteContext } from './route.ts';

/** Comment lines that keep proxies from taking a quiet stream for a dead one. */
const heartbeatMs = 15_000;
/** A subscriber that takes nothing for this long is closed; it may come back with its cursor. */
const stalledMs = 60_000;
/** How long a browser waits before it comes back. */
const retryMs = 1_000;

export interface StreamOptions<Frame extends { text: string }> {
  frames: AsyncGenerator<Frame, void, void>;
  /** Frames that the subscriber does not want are left out. Default: none. */
  wants?: (frame: Frame) => boolean;
  /** The stream ends after this frame. */
  isLast?: (frame: Frame) => boolean;
  /** Of the response, besides those that every stream has. */
  headers?: Record<string, string>;
  /** Stops `frames`. */
  abort: AbortController;
}

/**
 * Server-sent events of the frames. It is pulled by its reader: what a slow one has not taken stays where it is, and one that takes nothing
 * is closed.
 */
export function eventStream<Frame extends { text: string }>({
  frames,
  wants,
  isLast,
  abort,
  headers = {},
}: StreamOptions<Frame>): Response {
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<Frame, void>> | undefined;
  let watchdog: NodeJS.Timeout | undefined;
  let isOver = false;
  const finish = (): void => {
    clearTimeout(watchdog);
    abort.abort();
    void frames.return();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(encoder.encode(`retry: ${retryMs}\n\n`));
      },
      async pull(controller) {
        clearTimeout(watchdog);
        for (;;) {
          const frame = isOver ? undefined : await ((next ??= frames.next()), withHeartbeat(next));
          if (frame === 'quiet') {
            controller.enqueue(encoder.encode(':\n\n'));
            break;
          }
          next = undefined;
          if (!frame || frame.done) {
            finish();
            controller.close();
            return;
          }
          isOver = isLast?.(frame.value) === true;
          if (wants?.(frame.value) === false) continue;
          controller.enqueue(encoder.encode(frame.value.text));
          break;
        }
        watchdog = setTimeout(() => {
          controller.error(new Error('the subscriber takes nothing'));
          finish();
        }, stalledMs);
      },
      cancel: finish,
    },
    { highWaterMark: 1 },
  );
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      // Nginx holds answers back otherwise.
      'x-accel-buffering': 'no',
      ...headers,
    },
  });
}

/** Ends a stream when its caller has gone, and counts it until then. */
export function streamAbort(
  signal: AbortSignal,
  { streams }: Pick<RouteContext['meters'], 'streams'>,
): AbortController {
  const abort = new AbortController();
  signal.addEventListener('abort', () => abort.abort(), { signal: abort.signal });
  streams.add(1);
  abort.signal.addEventListener('abort', () => streams.add(-1));
  return abort;
}

/** The next frame, or `quiet` when there is none for a while. */
async function withHeartbeat<T>(next: Promise<T>): Promise<T | 'quiet'> {
  let timer: NodeJS.Timeout | undefined;
  const quiet = new Promise<'quiet'>((resolve) => {
    timer = setTimeout(() => resolve('quiet'), heartbeatMs);
  });
  try {
    return await Promise.race([next, quiet]);
  } finally {
    clearTimeout(timer);
  }
}
