// The process that `durascope dev`, and `run` and `chat` without a server, run their worker in. See worker-messages.ts.
import { describeAgent } from '../agents/describe-agent.ts';
import { resolveSettings, type Settings } from '../settings/settings.ts';
import { missingConfig } from '../settings/load-config.ts';
import { atEmbedded } from '../settings/temporal-settings.ts';
import type { DurascopeWorker } from '../worker/create-worker.ts';
import { exitCode } from './exit-codes.ts';
import { describeError, reportError } from './report-error.ts';
import { noteSourceFiles, sourceFiles } from './source-files.ts';
import { startWorker } from './start-worker.ts';
import { installWorkerLog } from './worker-log.ts';
import { ToWorker, type FromWorker } from './worker-messages.ts';

let settings: Settings | undefined;
let worker: DurascopeWorker | undefined;
let isEnding = false;

process.on('message', (message) => void obey(ToWorker.parse(message)));
// The terminal sends Ctrl-C to the whole group: what it means is the command's to say.
process.on('SIGINT', () => {});
process.on('SIGTERM', end);
process.on('disconnect', end);

async function obey(message: ToWorker): Promise<void> {
  try {
    if (message.kind === 'load') await load(message.flags);
    else await start(message.address, message.logLevel);
  } catch (error) {
    if (worker) reportError(error, false);
    else tell({ kind: 'failed', ...describeError(error), files: sourceFiles() });
    process.exitCode = exitCode.failed;
    process.disconnect();
  }
}

async function load(flags: Record<string, string>): Promise<void> {
  noteSourceFiles();
  settings = await resolveSettings(flags, { needsConfig: true, ignoresDev: true });
  const { config, temporal, store, taskQueue } = settings;
  tell({
    kind: 'loaded',
    files: sourceFiles(),
    agents: config?.agents.map(describeAgent) ?? [],
    ...(temporal.address === undefined ? {} : { address: temporal.address }),
    namespace: temporal.namespace,
    store,
    taskQueue,
  });
}

async function start(embedded: string | undefined, level: 'WARN' | 'ERROR'): Promise<void> {
  if (!settings?.config) throw missingConfig(process.cwd());
  const { config } = settings;
  const temporal = embedded === undefined ? settings.temporal : atEmbedded(settings.temporal, embedded);
  installWorkerLog({ isJson: false, level, write: (line) => process.stderr.write(`${line}\n`) });
  worker = await startWorker({ ...settings, config, temporal });
  const ended = worker.run();
  if (isEnding) worker.shutdown();
  tell({ kind: 'ready' });
  await ended;
  isEnding = true;
  if (process.connected) process.disconnect();
}

function end(): void {
  if (isEnding) return;
  isEnding = true;
  if (worker) worker.shutdown();
  else process.exit();
}

function tell(message: FromWorker): void {
  process.send?.(message);
}
