import { Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { startDevServer } from './dev-server.ts';
import type { DevServer, DevServerOptions } from './dev-server.ts';
import { EmbeddedTemporalError } from './embedded-error.ts';

export { EmbeddedTemporalError } from './embedded-error.ts';

export interface EmbeddedTemporalOptions extends Omit<DevServerOptions, 'dataDir'> {
  /** The folder that keeps the server's state between starts. */
  dataDir: string;
}

/** A Temporal to use: one of our own, or the one that `TEMPORAL_ADDRESS` names, which has no `uiUrl`, `dbFile` or `pid` that we know. */
export interface EmbeddedTemporal extends Pick<DevServer, 'address' | 'namespace' | 'dbFile'> {
  uiUrl: string | undefined;
  pid: number | undefined;
  /** Does nothing to a server that is not ours. */
  stop(): Promise<void>;
}

/** Connects to `TEMPORAL_ADDRESS` where it is set, and else starts a dev server; fetches one first where the machine has none. */
export async function startEmbeddedTemporal(options: EmbeddedTemporalOptions): Promise<EmbeddedTemporal> {
  const address = process.env['TEMPORAL_ADDRESS'];
  if (address === undefined || address === '') return startDevServer(options);
  const { connectionOptions, namespace = options.namespace ?? 'default' } = loadClientConnectConfig();
  await checkReachable(address, () =>
    Connection.connect({ ...connectionOptions, connectTimeout: '5 seconds' }),
  );
  return { address, namespace, uiUrl: undefined, dbFile: undefined, pid: undefined, stop: async () => {} };
}

async function checkReachable(address: string, connect: () => Promise<Connection>): Promise<void> {
  try {
    const connection = await connect();
    await connection.close();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new EmbeddedTemporalError(
      'unreachable',
      `TEMPORAL_ADDRESS is ${address}, and no Temporal answers there (${reason}). Start it, correct the address and TEMPORAL_TLS_*, or unset TEMPORAL_ADDRESS to have a server started.`,
      { cause: error },
    );
  }
}
