import { observable } from './observable.ts';

const name = 'durascope.key';

/** The key of this tab: it is gone when the tab is. */
export const apiKey = observable<string | undefined>(read());
/** The server wants a key, and this tab has none that it takes. */
export const isKeyWanted = observable(false);

export function giveKey(key: string): void {
  try {
    sessionStorage.setItem(name, key);
  } catch {
    // Where storage is off, the key lasts as long as the page.
  }
  apiKey.set(key);
  isKeyWanted.set(false);
}

export function forgetKey(): void {
  try {
    sessionStorage.removeItem(name);
  } catch {
    // As above.
  }
  apiKey.set(undefined);
  isKeyWanted.set(true);
}

function read(): string | undefined {
  try {
    return sessionStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}
