import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { nextFreePort } from '../embedded/ports.ts';
import { startEmbeddedTemporal, type EmbeddedTemporal } from '../embedded/temporal.ts';
import { readDevRecord, removeDevRecord, writeDevRecord } from '../settings/dev-record.ts';
import { resolveSettings } from '../settings/settings.ts';
import { atEmbedded } from '../settings/temporal-settings.ts';
import { findConfig, missingConfig } from '../settings/load-config.ts';
import { createLog } from './api-log.ts';
import { startApi, type Api } from './api.ts';
import { CommandError } from './command-error.ts';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { devReporter } from './dev-report.ts';
import { superviseWorker } from './dev-supervisor.ts';
import { endAll } from './end-all.ts';
import { onInterrupt } from './on-interrupt.ts';
import { wholeNumber } from './option-parsers.ts';
import { notice } from './output.ts';
import { SourceWatcher } from './source-watcher.ts';
import type { Loaded } from './worker-messages.ts';
import { spawnWorker } from './worker-process.ts';

interface DevOptions extends CommonOptions {
  port?: string;
  temporalPort: number;
  temporalUiPort: number;
}

export function devCommand(): Command {
  const port = wholeNumber(0, 65_535);
  return defineCommand(
    'dev',
    'start Temporal, a worker and the HTTP API here, and restart the worker when its source files change',
    'durascope dev\ndurascope run support "Hello"      # in another terminal',
  )
    .option('--port <port>', 'of the HTTP API, likewise; environment: DURASCOPE_PORT; default: 4670')
    .option('--temporal-port <port>', 'where taken, the next free one; 0: any', port, 7233)
    .option('--temporal-ui-port <port>', 'of Temporal Web, likewise', port, 8233)
    .addHelpText(
      'after',
      '\nState is kept in .durascope beside the config. Where TEMPORAL_ADDRESS, --address or the config names a server, that one is used.\n',
    )
    .action(dev);
}

async function dev(options: DevOptions): Promise<void> {
  const file = findConfig(process.cwd(), options.config);
  if (file === undefined) throw missingConfig(process.cwd());
  const stateDir = join(dirname(file), '.durascope');
  makeStateDir(stateDir);
  const other = readDevRecord(stateDir);
  if (other)
    throw new CommandError(
      'dev_running',
      `"durascope dev" runs in this folder already, as process ${other.pid} with Temporal at ${other.address}: use it, or stop it first`,
    );

  const stopping = new AbortController();
  const stopListening = onInterrupt(() => stopping.abort(), ['SIGINT', 'SIGTERM', 'SIGHUP']);
  const watcher = new SourceWatcher();
  watcher.add([file]);
  const tell = devReporter(options.json === true);
  let embedded: EmbeddedTemporal | undefined;
  let api: Api | undefined;
  let agents: Loaded['agents'] = [];

  const temporal = async (loaded: Loaded): Promise<string | undefined> => {
    agents = loaded.agents;
    const address = await temporalOf(loaded);
    api ??= await startDevApi(options, {
      file,
      address,
      temporalWeb: embedded?.uiUrl,
      agents: () => agents,
    });
    return address;
  };
  const temporalOf = async (loaded: Loaded): Promise<string | undefined> => {
    if (loaded.address !== undefined) return undefined;
    embedded ??= await startEmbeddedTemporal({
      dataDir: join(stateDir, 'temporal'),
      port: options.temporalPort,
      uiPort: options.temporalUiPort,
      namespace: loaded.namespace,
      log: notice,
    });
    return embedded.address;
  };
  const supervise = () =>
    superviseWorker({
      flags: { ...flagsOf(options), config: file },
      spawn: spawnWorker,
      watcher,
      temporal,
      signal: stopping.signal,
      report: (report) => {
        // Other commands find the embedded server by it; one that the settings name they find as this command did.
        if (report.kind === 'ready' && embedded && report.loaded.address === undefined)
          writeDevRecord(stateDir, {
            ...recordOf(embedded, report.loaded),
            ...(api ? { apiUrl: api.url } : {}),
            pid: process.pid,
          });
        tell(report, { temporal: embedded, apiUrl: api?.url, pageUrl: api?.pageUrl });
      },
    });
  // Whatever is left would keep the process alive, and deaf to signals.
  await endAll([
    supervise,
    () => removeDevRecord(stateDir),
    () => watcher.close(),
    () => api?.close(),
    () => embedded?.stop(),
    stopListening,
  ]);
}

interface DevApi {
  file: string;
  /** Of the embedded server. */
  address: string | undefined;
  temporalWeb: string | undefined;
  agents: () => Loaded['agents'];
}

async function startDevApi(
  options: DevOptions,
  { file, address, temporalWeb, agents }: DevApi,
): Promise<Api> {
  const flags = {
    ...flagsOf(options),
    config: file,
    ...(options.port === undefined ? {} : { port: options.port }),
  };
  const settings = await resolveSettings(flags, { needsConfig: true, ignoresDev: true });
  const { port, temporal } = settings;
  return startApi(
    { ...settings, temporal: address === undefined ? temporal : atEmbedded(temporal, address) },
    {
      port: port === 0 ? 0 : await nextFreePort(port),
      agents,
      temporalWeb,
      log: createLog('warn', process.stderr),
    },
  );
}

function makeStateDir(stateDir: string): void {
  try {
    mkdirSync(stateDir, { recursive: true });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CommandError(
      'state_unusable',
      `${stateDir} is to keep the state of "durascope dev", and can't be a folder (${reason}): move what is there, or let its parent be written to`,
      { cause },
    );
  }
}

function recordOf({ address, uiUrl }: EmbeddedTemporal, { namespace, store, taskQueue, agents }: Loaded) {
  const names = agents.map(({ name }) => name);
  return { address, ...(uiUrl === undefined ? {} : { uiUrl }), namespace, store, taskQueue, agents: names };
}
