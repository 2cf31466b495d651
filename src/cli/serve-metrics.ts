import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { installPrometheus } from '../metrics/prometheus.ts';

/** Keeps what this process measures, and answers it at /metrics. @throws the system's error, EADDRINUSE for one. */
export async function serveMetrics(
  port: number,
  host: string,
): Promise<{ url: string; close: () => Promise<void> }> {
  const render = installPrometheus();
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    render().then(
      (text) => response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(text),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(port, host);
  await once(server, 'listening');
  const { port: chosen } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${chosen}/metrics`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
