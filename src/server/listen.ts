import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer as createHttpServer, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { DurascopeServer } from './create-server.ts';

export interface ListenOptions {
  /** 0: any. */
  port: number;
  /** Default 127.0.0.1. */
  host?: string;
  limits?: Partial<TimeLimits>;
}

/**
 * How long a request's headers, and all of it, may take to come, in milliseconds, and how often that is looked at: a caller that sends a byte
 * a minute holds nothing for long.
 */
export interface TimeLimits {
  headersMs: number;
  requestMs: number;
  checkMs: number;
}

const usual: TimeLimits = { headersMs: 10_000, requestMs: 60_000, checkMs: 5_000 };

export interface Listening {
  url: string;
  port: number;
  /** Takes no more requests, lets those in flight end, and resolves when the last has; what is left then is cut. */
  close(graceMs?: number): Promise<void>;
}

/** Serves the API on a port. @throws the system's error, EADDRINUSE for one. */
export async function listen(
  server: DurascopeServer,
  { port, host = '127.0.0.1', limits }: ListenOptions,
): Promise<Listening> {
  const { headersMs, requestMs, checkMs } = { ...usual, ...limits };
  const listener = getRequestListener((request) => server.fetch(request), { overrideGlobalObjects: false });
  const http = createHttpServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: checkMs,
    },
    (incoming, outgoing) => void listener(incoming, outgoing),
  );
  http.listen(port, host);
  await once(http, 'listening');
  const address = http.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${name}:${address.port}`,
    port: address.port,
    close: (graceMs = 10_000) => close(http, server, graceMs),
  };
}

async function close(http: Server, server: DurascopeServer, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  server.drain();
  http.closeIdleConnections();
  const cut = setTimeout(() => http.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(cut);
}
