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
}

export interface Listening {
  url: string;
  port: number;
  /** Takes no more requests, lets those in flight end, and resolves when the last has; what is left then is cut. */
  close(graceMs?: number): Promise<void>;
}

/** A request must have come whole within these: a caller that sends a byte a minute holds nothing for long. */
const headersMs = 10_000;
const requestMs = 60_000;

/** Serves the API on a port. @throws the system's error, EADDRINUSE for one. */
export async function listen(
  server: DurascopeServer,
  { port, host = '127.0.0.1' }: ListenOptions,
): Promise<Listening> {
  const listener = getRequestListener((request) => server.fetch(request), { overrideGlobalObjects: false });
  const http = createHttpServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: 5_000,
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
