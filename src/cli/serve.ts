import type { Command } from 'commander';
import { describeAgent } from '../agents/describe-agent.ts';
import { resolveSettings } from '../settings/settings.ts';
import { createLog } from './api-log.ts';
import { startApi } from './api.ts';
import { CommandError } from './command-error.ts';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { onInterrupt } from './on-interrupt.ts';
import { notice } from './output.ts';

interface ServeOptions extends CommonOptions {
  port?: string;
  host: string;
}

export function serveCommand(): Command {
  return defineCommand(
    'serve',
    'serve the HTTP API, until it is told to stop',
    'TEMPORAL_ADDRESS=localhost:7233 DURASCOPE_STORE=postgres://… durascope serve --port 4670',
  )
    .option('--port <port>', '0: any; environment: DURASCOPE_PORT; default: 4670')
    .option('--host <address>', 'to listen on; 0.0.0.0: all', '127.0.0.1')
    .addHelpText(
      'after',
      '\nSIGTERM or Ctrl-C: ends streams, lets requests end for ten seconds, exits 0; a second one exits 130.\n' +
        'Logs are JSON lines on stdout.\n',
    )
    .action(serve);
}

async function serve(options: ServeOptions): Promise<void> {
  const { port: given, host } = options;
  const settings = await resolveSettings({
    ...flagsOf(options),
    ...(given === undefined ? {} : { port: given }),
  });
  if (settings.temporal.address === undefined)
    throw new CommandError(
      'temporal_unknown',
      'The API needs a Temporal server: set TEMPORAL_ADDRESS or --address, or use "durascope dev", which starts one',
    );
  const log = createLog('info', process.stdout);
  const { config, port } = settings;
  const agents = config?.agents.map(describeAgent);
  const stopping = new Promise<NodeJS.Signals>((resolve) => void onInterrupt(resolve));
  const api = await startApi(settings, { port, host, log, ...(agents ? { agents: () => agents } : {}) });
  if (api.isOpen)
    notice(
      `no API key is set: ${api.url} answers this machine only, and lets it do everything as ${settings.owner}`,
    );
  log.info({ url: api.url, agents: agents?.map(({ name }) => name) }, 'api serves');
  log.info({ signal: await stopping }, 'api stops');
  await api.close();
  log.info({}, 'api has stopped');
}
