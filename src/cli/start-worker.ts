import { NativeConnection } from '@temporalio/worker';
import type { LoadedConfig } from '../settings/load-config.ts';
import type { Settings } from '../settings/settings.ts';
import { createWorker, type DurascopeWorker } from '../worker/create-worker.ts';
import { CommandError } from './command-error.ts';
import { keyFileOf, namedServers } from './mcp-servers.ts';

export interface WorkerSettings extends Pick<
  Settings,
  'temporal' | 'store' | 'taskQueue' | 'models' | 'stateDir'
> {
  config: LoadedConfig;
}

/** A worker of the config's agents, by the settings. Its connection closes when it has run. @throws CommandError `temporal_unavailable`. */
export async function startWorker({
  temporal,
  config,
  models,
  store,
  taskQueue,
  stateDir,
}: WorkerSettings): Promise<DurascopeWorker> {
  const connection = await NativeConnection.connect(temporal.connection).catch((cause: unknown) => {
    throw new CommandError(
      'temporal_unavailable',
      `No Temporal answers at ${temporal.address}: start it, or correct --address, TEMPORAL_ADDRESS or the config`,
      { cause },
    );
  });
  try {
    const worker = await createWorker({
      agents: config.agents,
      models,
      store,
      mcp: namedServers({ config, stateDir }),
      vault: { keyFile: keyFileOf({ stateDir }) },
      connection,
      namespace: temporal.namespace,
      taskQueue,
    });
    return {
      async run() {
        try {
          await worker.run();
        } finally {
          await connection.close();
        }
      },
      shutdown: () => worker.shutdown(),
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}
