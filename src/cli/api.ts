import { Connection } from '@temporalio/client';
import type { AgentDescription } from '../agents/describe-agent.ts';
import { DurascopeClient } from '../client/index.ts';
import {
  builtAdminPage,
  createServer,
  installPrometheus,
  listen,
  type Listening,
  type Log,
} from '../server/index.ts';
import type { Settings } from '../settings/settings.ts';
import { openStore } from '../store/open-store.ts';
import { apiAccess } from './api-access.ts';
import { CommandError } from './command-error.ts';
import { endAll } from './end-all.ts';

export interface ApiOptions {
  port: number;
  /** Default 127.0.0.1. */
  host?: string;
  agents?: () => readonly AgentDescription[];
  /** Where Temporal Web is. Default: as the config says. */
  temporalWeb?: string | undefined;
  log: Log;
}

export interface Api extends Pick<Listening, 'url' | 'port' | 'close'> {
  /** It asks nobody for a key. */
  isOpen: boolean;
  /** Of the admin page; absent where it was not built. */
  pageUrl?: string;
}

/** The HTTP API by the settings. It starts while Temporal is away: its readiness says so. @throws CommandError `port_taken`, `no_keys`. */
export async function startApi(settings: Settings, options: ApiOptions): Promise<Api> {
  const { port, host = '127.0.0.1', agents, log } = options;
  const { temporal, taskQueue, owner, apiKeys: listed, config } = settings;
  const { corsOrigins = [], jwt, limits = {}, ownerLimits = {}, prices = {} } = config?.api ?? {};
  const page = builtAdminPage();
  const webUrl = options.temporalWeb ?? config?.api?.temporalWeb;
  const opened: (() => Promise<void>)[] = [];
  const closeAll = () => endAll(opened.toReversed());
  try {
    const content = await openStore(settings.store);
    opened.push(content.close);
    const access = await apiAccess({ keys: content.store.apiKeys, listed, jwt, owner, corsOrigins });
    if (access.isOpen && !isLoopback(host)) throw noKeys(host);
    const connection = Connection.lazy(temporal.connection);
    opened.push(() => connection.close());
    const client = await DurascopeClient.connect({
      connection,
      namespace: temporal.namespace,
      store: content,
      taskQueue,
    });
    const server = createServer({
      client,
      authenticate: access.authenticate,
      corsOrigins,
      limitsOf: (of) => ownerLimits[of] ?? limits,
      prices,
      log,
      renderMetrics: installPrometheus(),
      ...(agents ? { agents } : {}),
      ...(page === undefined ? {} : { adminPage: page }),
      schedules: client.schedules,
      pipelines: client.pipelines,
      ...(webUrl === undefined
        ? {}
        : { temporalWeb: { url: webUrl.replace(/\/$/, ''), namespace: temporal.namespace } }),
    });
    const listening = await listen(server, { port, host });
    return {
      url: listening.url,
      port: listening.port,
      isOpen: access.isOpen,
      ...(page === undefined ? {} : { pageUrl: `${listening.url}/` }),
      close: (graceMs) => endAll([() => listening.close(graceMs), closeAll]),
    };
  } catch (error) {
    await closeAll();
    throw isTaken(error) ? portTaken(port, error) : error;
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

function noKeys(host: string): CommandError {
  return new CommandError(
    'no_keys',
    `Without API keys anybody who reaches ${host} could do everything: make one with "durascope keys create", set DURASCOPE_API_KEYS, or leave --host out`,
  );
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
