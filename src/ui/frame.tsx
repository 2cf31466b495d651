import { useEffect, useRef, type ReactNode } from 'react';
import { connection, isServerLost } from './api/connection.ts';
import { apiKey, forgetKey } from './api/key.ts';
import { useObservable } from './api/observable.ts';
import { queryClient, useGates, useLiveGates } from './api/queries.ts';
import { GateNews } from './gates/gate-news.tsx';
import { Notices } from './parts/notices.tsx';
import { ThemeSwitch } from './parts/theme-switch.tsx';
import { Link } from './parts/router.tsx';

const places = [
  ['/gates', 'Gates'],
  ['/sessions', 'Sessions'],
  ['/agents', 'Agents'],
  ['/schedules', 'Schedules'],
  ['/usage', 'Usage'],
  ['/health', 'Health'],
] as const;

/** What is around every page: navigation, what is new at the gates, whether the server answers. */
export function Frame({ address, children }: { address: string; children: ReactNode }) {
  const gates = useGates();
  useLiveGates();
  const isLost = useObservable(isServerLost);
  const key = useObservable(apiKey);
  const main = useRef<HTMLElement>(null);
  const pathname = address.split('?')[0] ?? '';
  useFocusOnNewPage(pathname, main);
  useWatchWhileLost(isLost);
  const waiting = gates.data?.items.length ?? 0;
  const current = pathname === '/' ? '/gates' : pathname;
  return (
    <div className="frame">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="masthead">
        <Link className="brand" href="/gates">
          <img src="/favicon.svg" alt="" width="24" height="24" />
          Durascope
        </Link>
        <nav aria-label="Pages">
          <ul>
            {places.map(([href, name]) => (
              <li key={href}>
                <Link href={href} aria-current={current.startsWith(href) ? 'page' : undefined}>
                  {name}
                  {href === '/gates' && waiting > 0 ? (
                    <span className="count">
                      {waiting}
                      <span className="unseen"> waiting</span>
                    </span>
                  ) : null}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="masthead-tools">
          <ThemeSwitch />
          {key === undefined ? null : (
            <button type="button" className="quiet" onClick={forgetKey}>
              Forget key
            </button>
          )}
        </div>
      </header>
      <div className="stage">
        <div role="status" className="lost-place">
          {isLost ? <p className="lost">The server does not answer. Trying again …</p> : null}
        </div>
        <main id="main" ref={main} tabIndex={-1}>
          {children}
        </main>
      </div>
      <GateNews gates={gates.data?.items} />
      <Notices />
    </div>
  );
}

/** A new page is read from its beginning, as a new document would be. */
function useFocusOnNewPage(pathname: string, main: { current: HTMLElement | null }): void {
  const last = useRef(pathname);
  useEffect(() => {
    if (last.current === pathname) return;
    last.current = pathname;
    globalThis.scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [pathname, main]);
}

/** Whatever a page does, somebody asks until the server is back. */
function useWatchWhileLost(isLost: boolean): void {
  useEffect(() => {
    if (!isLost) return undefined;
    const timer = setInterval(() => {
      connection.send('/v1/health/live').then(
        () => queryClient.invalidateQueries(),
        () => undefined,
      );
    }, 1_000);
    return () => clearInterval(timer);
  }, [isLost]);
}
