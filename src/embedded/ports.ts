import { createServer } from 'node:net';
import { once } from 'node:events';

/** A TCP port of the loopback interface that is free now. */
export async function freePort(): Promise<number> {
  const port = await listenOnce(0);
  if (port === undefined) throw new Error('the system offers no free port on 127.0.0.1');
  return port;
}

/** The first free port from `wanted` upwards that is not among `except`. */
export async function nextFreePort(wanted: number, except: readonly number[] = []): Promise<number> {
  const last = Math.min(wanted + 200, 65_535);
  for (let port = wanted; port <= last; port++) {
    if (!except.includes(port) && (await listenOnce(port)) !== undefined) return port;
  }
  throw new Error(`no free port on 127.0.0.1 from ${wanted} to ${last}; choose another`);
}

async function listenOnce(port: number): Promise<number | undefined> {
  const server = createServer();
  try {
    const listening = once(server, 'listening');
    server.listen({ port, host: '127.0.0.1', exclusive: true });
    await listening;
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : undefined;
  } catch {
    return undefined;
  } finally {
    server.close();
  }
}
