/** A time limit that stands still while somebody is waited for. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  /** What `work` takes does not count. */
  pauseFor<T>(work: () => Promise<T>): Promise<T>;
  clear(): void;
}

export function timeLimit(ms: number): TimeLimit {
  const limit = new AbortController();
  const abort = () => limit.abort(new DOMException('The time limit has passed.', 'TimeoutError'));
  let left = ms;
  let since = performance.now();
  let pauses = 0;
  let isCleared = false;
  let timer = setTimeout(abort, left);
  return {
    signal: limit.signal,
    async pauseFor(work) {
      if (pauses === 0) {
        clearTimeout(timer);
        left -= performance.now() - since;
      }
      pauses += 1;
      try {
        return await work();
      } finally {
        pauses -= 1;
        if (pauses === 0 && !isCleared) {
          since = performance.now();
          timer = setTimeout(abort, Math.max(1, left));
        }
      }
    },
    clear() {
      isCleared = true;
      clearTimeout(timer);
    },
  };
}
