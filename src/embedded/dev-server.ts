import type { ChildProcess } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { searchAttributes } from '../contracts/search-attributes.ts';
import { EmbeddedTemporalError } from './embedded-error.ts';
import { findTemporalCli } from './find-cli.ts';
import { freePort, nextFreePort } from './ports.ts';
import { claimDataFolder, recordServer } from './server-record.ts';
import { endProcess, hasEnded, spawnTied } from './tied-process.ts';

const host = '127.0.0.1';
const readyLimitMs = 60_000;

export interface DevServerOptions {
  /** The folder that keeps the server's state between starts; without it all is kept in memory. */
  dataDir?: string | undefined;
  /** Of gRPC. If taken, the next free one is used; 0 is any free port. Default 7233. */
  port?: number | undefined;
  /** Of Temporal Web, likewise. Default 8233. */
  uiPort?: number | undefined;
  namespace?: string | undefined;
  /** Takes one line at a time of what a person wants to know: a download, another port. */
  log?: ((line: string) => void) | undefined;
  /** More arguments of `temporal server start-dev`, such as `--dynamic-config-value`. */
  extraArgs?: readonly string[] | undefined;
}

export interface DevServer {
  /** host:port of gRPC. */
  address: string;
  /** Of Temporal Web. */
  uiUrl: string;
  namespace: string;
  dbFile: string | undefined;
  pid: number;
  stop(): Promise<void>;
  /** SIGKILL, as when the machine is lost. */
  kill(): Promise<void>;
}

/** Starts the Temporal CLI's dev server; resolves when its namespace takes workflows. */
export async function startDevServer(options: DevServerOptions = {}): Promise<DevServer> {
  const log = options.log ?? ((): void => {});
  const namespace = options.namespace ?? 'default';
  const cli = await findTemporalCli(log);
  const dbFile = options.dataDir === undefined ? undefined : join(options.dataDir, 'temporal.db');
  if (options.dataDir !== undefined) {
    await mkdir(options.dataDir, { recursive: true });
    await claimDataFolder(options.dataDir);
  }
  const port = await choosePort('Temporal', options.port ?? 7233, [], log);
  const uiPort = await choosePort('Temporal Web', options.uiPort ?? 8233, [port], log);
  const address = `${host}:${port}`;

  // A process group of its own: Ctrl-C must reach this process first, which drains its worker and then stops the server.
  const child = spawnTied(
    cli,
    serverArgs({ port, uiPort, namespace, dbFile, extraArgs: options.extraArgs ?? [] }),
    {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  try {
    await untilReady(child, address, namespace);
    const { pid } = child;
    if (pid === undefined) throw new Error('a process without an id');
    if (options.dataDir !== undefined) await recordServer(options.dataDir, pid);
    const end = async (signal: NodeJS.Signals): Promise<void> => {
      await endProcess(child, { signal });
      if (options.dataDir !== undefined) await rm(join(options.dataDir, 'temporal.pid'), { force: true });
    };
    return {
      address,
      uiUrl: `http://${host}:${uiPort}`,
      namespace,
      dbFile,
      pid,
      stop: () => end('SIGTERM'),
      kill: () => end('SIGKILL'),
    };
  } catch (error) {
    await endProcess(child);
    throw error;
  }
}

function serverArgs(server: {
  port: number;
  uiPort: number;
  namespace: string;
  dbFile: string | undefined;
  extraArgs: readonly string[];
}): string[] {
  const attributes = Object.values(searchAttributes).map(({ name, type }) => `${name}=${cliType[type]}`);
  const flags: [name: string, ...values: string[]][] = [
    ['--ip', host],
    ['--port', String(server.port)],
    ['--ui-port', String(server.uiPort)],
    ['--namespace', server.namespace],
    ['--log-level', 'error'],
    ['--ui-disable-news-fetch'],
    ...attributes.map((attribute): [string, string] => ['--search-attribute', attribute]),
  ];
  if (server.dbFile !== undefined) {
    // Measured: 1.35 times the turns of SQLite's defaults.
    flags.push(['--db-filename', server.dbFile]);
    flags.push(['--sqlite-pragma', 'journal_mode=WAL'], ['--sqlite-pragma', 'synchronous=NORMAL']);
  }
  return ['server', 'start-dev', ...flags.flat(), ...server.extraArgs];
}

const cliType = { KEYWORD: 'Keyword', INT: 'Int' } as const;

async function choosePort(
  what: string,
  wanted: number,
  except: readonly number[],
  log: (line: string) => void,
): Promise<number> {
  if (wanted === 0) return freePort();
  const port = await nextFreePort(wanted, except);
  if (port !== wanted) log(`port ${wanted} is taken: ${what} listens on ${port}`);
  return port;
}

async function untilReady(child: ChildProcess, address: string, namespace: string): Promise<void> {
  let output = '';
  const collect = (chunk: Buffer): void => void (output = (output + chunk.toString()).slice(-4_000));
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  let spawnError: Error | undefined;
  child.once('error', (error) => (spawnError = error));

  const deadline = Date.now() + readyLimitMs;
  for (;;) {
    if (spawnError !== undefined || hasEnded(child)) {
      throw new EmbeddedTemporalError(
        'failed_to_start',
        `The Temporal dev server ended at its start. It said:\n${spawnError?.message ?? output.trim()}`,
      );
    }
    if (await takesWorkflows(address, namespace)) return;
    if (Date.now() > deadline) {
      throw new EmbeddedTemporalError(
        'failed_to_start',
        `The Temporal dev server does not answer at ${address} after ${readyLimitMs / 1000} s. It said:\n${output.trim()}`,
      );
    }
    await delay(50);
  }
}

async function takesWorkflows(address: string, namespace: string): Promise<boolean> {
  let connection: Connection | undefined;
  try {
    connection = await Connection.connect({ address, connectTimeout: '1 second' });
    await connection.workflowService.describeNamespace({ namespace });
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    return Object.values(searchAttributes).every(({ name }) => customAttributes?.[name] !== undefined);
  } catch {
    return false;
  } finally {
    await connection?.close();
  }
}
