import type { Store } from '../../src/store/store.ts';

type Part = Exclude<keyof Store, 'ping' | 'close'>;
/** A method of the store, such as `calls.settle`. */
export type StoreMethod = { [P in Part]: `${P}.${Extract<keyof Store[P], string>}` }[Part];

export interface StoreHook {
  before?: () => Promise<void> | void;
  /** Runs once the transaction is committed, before the caller knows. */
  after?: () => Promise<void> | void;
}

/** The same store, with something that happens around one of its methods. */
export function hookStore(store: Store, at: StoreMethod, hook: StoreHook): Store {
  const [part, method] = at.split('.') as [Part, string];
  const methods = store[part] as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
  const hooked = async (...args: unknown[]): Promise<unknown> => {
    await hook.before?.();
    const result = await methods[method]?.(...args);
    await hook.after?.();
    return result;
  };
  return { ...store, [part]: { ...methods, [method]: hooked } };
}

/** A place where a worker is held up: `reached` tells that it got there, `open` lets it go on. */
export interface Turnstile {
  pass: () => Promise<void>;
  reached: Promise<void>;
  open: () => void;
}

/** Holds the first one who passes; later ones are let through. */
export function turnstile(): Turnstile {
  let arrive = () => {};
  let open = () => {};
  const reached = new Promise<void>((resolve) => (arrive = resolve));
  const opened = new Promise<void>((resolve) => (open = resolve));
  let isFirst = true;
  return {
    reached,
    open,
    async pass() {
      if (!isFirst) return;
      isFirst = false;
      arrive();
      await opened;
    },
  };
}
