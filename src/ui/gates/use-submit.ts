import { useState } from 'react';

export interface Submit {
  isBusy: boolean;
  error: unknown;
  /** Does it, once at a time; what fails is kept as `error`. */
  run(work: () => Promise<void>): void;
  clear(): void;
}

export function useSubmit(): Submit {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  return {
    isBusy,
    error,
    clear: () => setError(undefined),
    run(work) {
      if (isBusy) return;
      setBusy(true);
      setError(undefined);
      work()
        .catch(setError)
        .finally(() => setBusy(false));
    },
  };
}
