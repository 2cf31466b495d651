import { WebError, type WebConnection } from './web-connection.ts';

export interface PageLimits {
  maxBytes: number;
  maxRedirects: number;
  timeoutMs: number;
}

export interface Page {
  kind: 'page';
  /** Where it came from in the end. */
  url: URL;
  status: number;
  /** Without parameters, lower case; empty when the server says none. */
  mediaType: string;
  charset: string | undefined;
  body: Uint8Array;
  /** The body goes on after the limit. */
  isCut: boolean;
}

/** To another host, which is for whoever allows hosts to decide. */
export interface RedirectElsewhere {
  kind: 'redirect';
  to: URL;
}

const headers = {
  'user-agent': 'durascope (web_fetch)',
  accept: 'text/markdown, text/html;q=0.9, application/json;q=0.9, text/*;q=0.8, */*;q=0.5',
};

/**
 * Gets one page. Redirects are followed as long as they stay at the host; each hop is checked anew.
 *
 * @throws WebError; the signal's reason when it aborts.
 */
export async function fetchPage(
  connection: WebConnection,
  start: URL,
  { maxBytes, maxRedirects, timeoutMs }: PageLimits,
  signal: AbortSignal,
): Promise<Page | RedirectElsewhere> {
  const limit = AbortSignal.timeout(timeoutMs);
  const either = AbortSignal.any([signal, limit]);
  try {
    const { fetch } = await import('undici');
    for (let url = start, hop = 0; ; hop += 1) {
      const dispatcher = await connection.dispatcherFor(url);
      const response = await fetch(url, { dispatcher, headers, redirect: 'manual', signal: either });
      const location = response.headers.get('location');
      if (response.status >= 300 && response.status < 400 && location !== null) {
        await response.body?.cancel();
        const to = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
        if (!to) throw new WebError(`${url.href} redirects to "${location}", which is no address`);
        connection.check(to);
        if (!isSameHost(url, to)) return { kind: 'redirect', to };
        if (hop >= maxRedirects)
          throw new WebError(`${start.href} redirects more than ${maxRedirects} times`);
        url = to;
        continue;
      }
      const type = response.headers.get('content-type') ?? '';
      const [mediaType = ''] = type.split(';');
      return {
        kind: 'page',
        url,
        status: response.status,
        mediaType: mediaType.trim().toLowerCase(),
        charset: /charset\s*=\s*"?([\w-]+)/i.exec(type)?.[1],
        ...(await readBody(response.body, maxBytes)),
      };
    }
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted)
      throw new WebError(`${start.href} did not answer in full within ${timeoutMs / 1000} s`);
    throw asWebError(start, error);
  }
}

/** Counted after decompression, so that a small answer can't grow large. */
async function readBody(
  body: AsyncIterable<unknown> | null,
  maxBytes: number,
): Promise<{ body: Uint8Array; isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let room = maxBytes;
  for await (const chunk of body ?? []) {
    const bytes = chunk as Uint8Array;
    chunks.push(bytes.subarray(0, room));
    // Leaving the loop cancels the rest.
    if (bytes.length > room) return { body: Buffer.concat(chunks), isCut: true };
    room -= bytes.length;
  }
  return { body: Buffer.concat(chunks), isCut: false };
}

/** Also over the step from http to https. */
function isSameHost(from: URL, to: URL): boolean {
  if (from.hostname !== to.hostname) return false;
  const isUpgrade =
    from.protocol === 'http:' && to.protocol === 'https:' && from.port === '' && to.port === '';
  return isUpgrade || from.host === to.host;
}

function asWebError(url: URL, error: unknown): WebError {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof WebError) return cause;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const message = cause instanceof Error ? cause.message || cause.name : String(cause);
  return new WebError(`${url.href} could not be fetched: ${message}`, { cause: error });
}
