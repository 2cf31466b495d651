import type { Command } from 'commander';
import { resolveSettings } from '../settings/settings.ts';
import { missingConfig } from '../settings/load-config.ts';
import { CommandError } from './command-error.ts';
import { serveMetrics } from './serve-metrics.ts';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { onInterrupt } from './on-interrupt.ts';
import { oneOf, wholeNumber } from './option-parsers.ts';

interface WorkerOptions extends CommonOptions {
  logLevel: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';
  metricsPort?: number;
  metricsHost: string;
}

export function workerCommand(): Command {
  return defineCommand(
    'worker',
    "run the turns of the config's agents, until it is told to stop",
    'TEMPORAL_ADDRESS=localhost:7233 DURASCOPE_STORE=postgres://… durascope worker',
  )
    .option(
      '--log-level <level>',
      'DEBUG, INFO, WARN or ERROR',
      oneOf('DEBUG', 'INFO', 'WARN', 'ERROR'),
      'INFO',
    )
    .option('--metrics-port <port>', 'answer Prometheus there at /metrics; 0: any', wholeNumber(0, 65_535))
    .option('--metrics-host <address>', 'to answer it on; 0.0.0.0: all', '127.0.0.1')
    .addHelpText(
      'after',
      '\nSIGTERM or Ctrl-C: takes no more work, lets what runs end for ten seconds, exits 0; a second one exits 130.\n' +
        'Nothing is lost: another worker goes on. Logs are JSON lines unless stdout is a terminal.\n',
    )
    .action(worker);
}

async function worker(options: WorkerOptions): Promise<void> {
  const settings = await resolveSettings(flagsOf(options), { needsConfig: true });
  const { config, temporal } = settings;
  if (!config) throw missingConfig(process.cwd());
  if (temporal.address === undefined)
    throw new CommandError(
      'temporal_unknown',
      'A worker needs a Temporal server: set TEMPORAL_ADDRESS or --address, or use "durascope dev", which starts one',
    );

  // Only here, for they load Temporal's native part.
  const [{ installWorkerLog }, { startWorker }] = await Promise.all([
    import('./worker-log.ts'),
    import('./start-worker.ts'),
  ]);
  const log = installWorkerLog({
    isJson: options.json === true || !process.stdout.isTTY,
    level: options.logLevel,
    write: (line) => void process.stdout.write(`${line}\n`),
  });
  const { metricsPort, metricsHost } = options;
  const metrics = metricsPort === undefined ? undefined : await serveMetrics(metricsPort, metricsHost);
  if (metrics) log.info('metrics are served', { url: metrics.url });
  const running = await startWorker({ ...settings, config });
  const stopListening = onInterrupt((signal) => {
    log.info('worker stops', { signal });
    running.shutdown();
  });
  log.info('worker runs', {
    agents: config.agents.map(({ name }) => name),
    address: temporal.address,
    namespace: temporal.namespace,
    taskQueue: settings.taskQueue,
  });
  try {
    await running.run();
  } finally {
    stopListening();
    await metrics?.close();
  }
  log.info('worker has stopped');
}
