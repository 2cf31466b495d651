import type { AgentDescription } from '../agents/describe-agent.ts';
import {
  builtAdminPage,
  createServer,
  listen,
  openAccess,
  type Listening,
  type Log,
} from '../server/index.ts';
import type { Settings } from '../settings/settings.ts';
import { CommandError } from './command-error.ts';
import { endAll } from './end-all.ts';
import { openReader } from './open-client.ts';

export interface ApiOptions {
  port: number;
  /** Default 127.0.0.1. */
  host?: string;
  agents?: () => readonly AgentDescription[];
  log: Log;
}

export type Api = Pick<Listening, 'url' | 'port' | 'close'>;

/** The HTTP API by the settings. It starts while Temporal is away: its readiness says so. @throws CommandError `port_taken`. */
export async function startApi(settings: Settings, options: ApiOptions): Promise<Api> {
  const { port, host = '127.0.0.1', agents, log } = options;
  if (!isLoopback(host))
    throw new CommandError(
      'no_keys',
      `Without API keys anybody who reaches ${host} could do everything: the server listens on 127.0.0.1 only`,
    );
  const { client, close } = await openReader(settings);
  const page = builtAdminPage();
  try {
    const server = createServer({
      client,
      authenticate: openAccess(settings.owner),
      log,
      ...(agents ? { agents } : {}),
      ...(page === undefined ? {} : { adminPage: page }),
    });
    const listening = await listen(server, { port, host });
    return {
      url: listening.url,
      port: listening.port,
      close: (graceMs) => endAll([() => listening.close(graceMs), close]),
    };
  } catch (error) {
    await close();
    throw isTaken(error) ? portTaken(port, error) : error;
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

function portTaken(port: number, cause: unknown): CommandError {
  return new CommandError(
    'port_taken',
    `Port ${port} is taken: stop what listens there, or set --port or DURASCOPE_PORT`,
    { cause },
  );
}
