import { Connection } from '@temporalio/client';
import { DurascopeClient } from '../client/index.ts';
import { resolveSettings, type Flags, type ResolveOptions, type Settings } from '../settings/settings.ts';
import { CommandError } from './command-error.ts';

export interface OpenClient {
  client: DurascopeClient;
  close: () => Promise<void>;
}

/** For commands that start or signal. @throws CommandError `temporal_unknown`, `temporal_unavailable`. */
export async function openClient(settings: Settings): Promise<OpenClient> {
  const { address } = settings.temporal;
  if (address === undefined) throw noTemporal();
  const connection = await Connection.connect({
    connectTimeout: '5s',
    ...settings.temporal.connection,
  }).catch((cause: unknown) => {
    throw new CommandError(
      'temporal_unavailable',
      `No Temporal answers at ${address}: start it, or correct --address, TEMPORAL_ADDRESS or the config. "durascope doctor" tells more`,
      { cause },
    );
  });
  return open(settings, connection);
}

/** For commands that only read what the store holds: they work while Temporal does not. */
export function openReader(settings: Settings): Promise<OpenClient> {
  return open(settings, Connection.lazy(settings.temporal.connection));
}

/** Resolves the settings, runs the command with a client, and closes it. */
export async function withClient<T>(
  flags: Flags,
  use: (client: DurascopeClient, settings: Settings) => Promise<T>,
  opener: (settings: Settings) => Promise<OpenClient> = openClient,
  options: ResolveOptions = {},
): Promise<T> {
  const settings = await resolveSettings(flags, options);
  const { client, close } = await opener(settings);
  try {
    return await use(client, settings);
  } finally {
    await close();
  }
}

async function open(settings: Settings, connection: Connection): Promise<OpenClient> {
  const { store, taskQueue, temporal } = settings;
  const client = await DurascopeClient.connect({
    connection,
    namespace: temporal.namespace,
    store,
    taskQueue,
  }).catch(async (error: unknown) => {
    await connection.close();
    throw error;
  });
  return {
    client,
    async close() {
      await client.close();
      await connection.close();
    },
  };
}

function noTemporal(): CommandError {
  return new CommandError(
    'temporal_unknown',
    'No Temporal is known here: start "durascope dev" in this folder, or set TEMPORAL_ADDRESS or --address',
  );
}
