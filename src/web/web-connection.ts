import { lookup as resolve, type LookupAddress, type LookupOptions } from 'node:dns';
import type { Dispatcher } from 'undici';
import { matchesHostRule } from '../tools/paths/host-rule.ts';
import { whyForbidden } from './forbidden-address.ts';

export class WebError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'WebError';
  }
}

type Resolved = (error: Error | null, address: string | LookupAddress[], family?: number) => void;
export type Resolve = typeof resolve;

/** How requests reach hosts: by name through DNS, and only to addresses that were checked. */
export class WebConnection {
  readonly #allowPrivate: readonly string[];
  readonly #resolve: Resolve;
  #dispatchers: Promise<{ guarded: Dispatcher; open: Dispatcher }> | undefined;

  /**
   * @param allowPrivate hosts, as in rules (`localhost:8080`), that may have private addresses
   * @param resolveHost DNS, to be replaced in tests
   */
  constructor(allowPrivate: readonly string[] = [], resolveHost: Resolve = resolve) {
    this.#allowPrivate = allowPrivate;
    this.#resolve = resolveHost;
  }

  /**
   * What is wrong with an address as such, before anything is resolved.
   *
   * @throws WebError
   */
  check(url: URL): void {
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      throw new WebError(`${url.protocol}// addresses are not fetched: only http and https`);
    if (url.username !== '' || url.password !== '')
      throw new WebError('an address with a name or password in it is not fetched');
    if (this.#mayBePrivate(url)) return;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const isAddress = host.includes(':') || /^[\d.]+$/.test(host);
    const why = isAddress ? whyForbidden(host) : undefined;
    if (why !== undefined) throw new WebError(`${url.host} is ${why}: only public addresses are fetched`);
  }

  async dispatcherFor(url: URL): Promise<Dispatcher> {
    this.check(url);
    this.#dispatchers ??= this.#open();
    const { guarded, open } = await this.#dispatchers;
    return this.#mayBePrivate(url) ? open : guarded;
  }

  #mayBePrivate(url: URL): boolean {
    return this.#allowPrivate.some((pattern) => matchesHostRule(url.href, pattern));
  }

  async #open() {
    const { Agent } = await import('undici');
    const common = { connections: 8, keepAliveTimeout: 1_000 };
    return {
      open: new Agent({ ...common, connect: { lookup: this.#resolve } }),
      guarded: new Agent({ ...common, connect: { lookup: this.#lookup } }),
    };
  }

  /**
   * The connection is made to the addresses that are returned here, so there is no second resolution between check and use that could
   * say something else. One forbidden address among several refuses all.
   */
  readonly #lookup = (host: string, options: LookupOptions, done: Resolved): void => {
    this.#resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, []);
      for (const { address } of addresses) {
        const why = whyForbidden(address);
        if (why !== undefined)
          return done(
            new WebError(`${host} is at ${address}, which is ${why}: only public addresses are fetched`),
            [],
          );
      }
      const [first] = addresses;
      if (options.all || !first) return done(null, addresses);
      return done(null, first.address, first.family);
    });
  };
}
