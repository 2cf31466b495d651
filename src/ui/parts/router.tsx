import { useSyncExternalStore, type ComponentProps, type MouseEvent } from 'react';

/* Addresses of the page: its own history, and nothing more. */

const listeners = new Set<() => void>();

export function navigate(to: string): void {
  history.pushState(null, '', to);
  for (const listener of listeners) listener();
}

/** Path and query of the page, which change without a new document. */
export function useAddress(): string {
  return useSyncExternalStore(subscribe, () => location.pathname + location.search);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  globalThis.addEventListener('popstate', listener);
  return () => {
    listeners.delete(listener);
    globalThis.removeEventListener('popstate', listener);
  };
}

/** A link inside the page. New tabs and the like are left to the browser. */
export function Link({ href, ...rest }: ComponentProps<'a'> & { href: string }) {
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    const isPlain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!isPlain) return;
    event.preventDefault();
    navigate(href);
  };
  return <a href={href} onClick={follow} {...rest} />;
}

export function sessionHref(sessionId: string): string {
  return `/sessions/${encodeURIComponent(sessionId)}`;
}

export function turnHref(sessionId: string, turn: number): string {
  return `${sessionHref(sessionId)}/turns/${turn}`;
}
