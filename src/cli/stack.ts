import { join } from 'node:path';
import { EmbeddedTemporalError, startEmbeddedTemporal } from '../embedded/temporal.ts';
import type { DurascopeClient } from '../client/index.ts';
import { createAgentRegistry } from '../agents/agent-registry.ts';
import { resolveSettings, type Flags, type Settings } from '../settings/settings.ts';
import { atEmbedded } from '../settings/temporal-settings.ts';
import { failure } from '../contracts/failures.ts';
import { didYouMean } from '../tools/nearest-names.ts';
import { CommandError } from './command-error.ts';
import { openClient } from './open-client.ts';
import { notice } from './output.ts';
import { spawnWorker } from './worker-process.ts';

export interface Stack {
  client: DurascopeClient;
  settings: Settings;
  /** The Temporal server and the worker are ours, and end with this command. */
  isEmbedded: boolean;
  close: () => Promise<void>;
}

/**
 * What `run` and `chat` need: a client of the Temporal that the settings name, or of the running `durascope dev`; with neither, a server
 * and a worker of our own for as long as the command lasts.
 *
 * @throws AgentNotFoundError when the config, or what "durascope dev" has loaded, is without the agent: a session of it could never run.
 */
export async function openStack(flags: Flags, agent: string): Promise<Stack> {
  const known = await resolveSettings(flags);
  if (known.temporal.address === undefined) return openEmbedded(flags, agent);
  // Without a config, and without the "durascope dev" that has loaded it, only the workers know the agents.
  if (known.config) createAgentRegistry(known.config.agents).get(agent);
  else checkAgentOfDev(known, agent);
  const { client, close } = await openClient(known);
  return { client, settings: known, isEmbedded: false, close };
}

function checkAgentOfDev({ dev, temporal, taskQueue }: Settings, agent: string): void {
  if (!dev || dev.address !== temporal.address || dev.taskQueue !== taskQueue) return;
  if (dev.agents.includes(agent)) return;
  const runs = dev.agents.length === 0 ? 'no agents' : dev.agents.join(', ');
  throw new CommandError(
    failure.agentNotFound,
    `The "durascope dev" of this folder (process ${dev.pid}) has no agent "${agent}": it runs ${runs}.${didYouMean(agent, dev.agents)} One that was just added is there once dev says that it is ready again`,
  );
}

async function openEmbedded(flags: Flags, agent: string): Promise<Stack> {
  const settings = await resolveSettings(flags, { needsConfig: true });
  createAgentRegistry(settings.config?.agents ?? []).get(agent);
  notice('no Temporal is set and no "durascope dev" runs here: starting both for this command …');
  const opened: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of opened.splice(0).toReversed()) await end();
  };
  try {
    const temporal = await startEmbeddedTemporal({
      dataDir: join(settings.stateDir, 'temporal'),
      namespace: settings.temporal.namespace,
      port: 0,
      uiPort: 0,
      log: notice,
    }).catch((error: unknown) => {
      throw inUseHere(error);
    });
    opened.push(() => temporal.stop());
    const worker = spawnWorker();
    opened.push(() => worker.stop());
    await worker.load(flags);
    await worker.start(temporal.address, 'ERROR');
    const embedded = { ...settings, temporal: atEmbedded(settings.temporal, temporal.address) };
    const { client, close: closeClient } = await openClient(embedded);
    opened.push(closeClient);
    return { client, settings: embedded, isEmbedded: true, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function inUseHere(error: unknown): unknown {
  if (!(error instanceof EmbeddedTemporalError) || error.code !== 'data_in_use') return error;
  return new EmbeddedTemporalError(
    'data_in_use',
    `Another command uses the server of this folder. To run several at once, start "durascope dev" first. (${error.message})`,
    { cause: error },
  );
}
