import { execFileSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from '../../src/embedded/ports.ts';
import { endProcess, hasEnded, spawnTied } from '../../src/embedded/tied-process.ts';
import { findPostgres } from './find-postgres.ts';

export { hasPostgres } from './find-postgres.ts';

export interface TestPostgres {
  /** Of the database `postgres`; suites take their own by `createDatabase`. */
  url: string;
  port: number;
  /** An empty database; resolves to its url. */
  createDatabase(): Promise<string>;
  /** A clean stop and start on the same port: clients see their connections end. */
  restart(): Promise<void>;
  /**
   * Ends the server without a checkpoint: no connection until `restart`, which recovers from the log. By SIGQUIT, not SIGKILL: backends
   * are in process groups of their own, would survive the server for a moment, answer, and hold its shared memory.
   */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

/** A throw-away cluster on a free port of 127.0.0.1. Committed data survives `crash`, but not a crash of the machine. */
export async function startPostgres(): Promise<TestPostgres> {
  const bin = findPostgres();
  if (bin === undefined)
    throw new Error('PostgreSQL is not installed: guard the suite with describe.skipIf(!hasPostgres())');
  const account = serverAccount();
  const folder = mkdtempSync(join(tmpdir(), 'durascope-pg-'));
  if (account !== undefined) chownSync(folder, account.uid, account.gid);
  const data = join(folder, 'data');
  const initdb = ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C'];
  execFileSync(join(bin, 'initdb'), initdb, { ...account, stdio: 'pipe', cwd: folder });
  // synchronous_commit stays on: `crash` must keep what was committed.
  writeFileSync(
    join(data, 'postgresql.auto.conf'),
    [
      'fsync = off',
      'full_page_writes = off',
      "unix_socket_directories = ''",
      'max_connections = 200',
      'shared_buffers = 32MB',
      '',
    ].join('\n'),
  );

  const port = await freePort();
  const urlOf = (database: string): string => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const url = urlOf('postgres');
  const start = async (): Promise<ChildProcess> => {
    const child = spawnTied(join(bin, 'postgres'), ['-D', data, '-h', '127.0.0.1', '-p', String(port)], {
      ...account,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await untilReady(child, url);
    return child;
  };

  let server = await start();
  let databases = 0;
  return {
    url,
    port,
    async createDatabase() {
      const name = `test_${++databases}`;
      const client = new Client({ connectionString: url });
      await client.connect();
      try {
        await client.query(`create database ${name}`);
      } finally {
        await client.end();
      }
      return urlOf(name);
    },
    async restart() {
      await endProcess(server, { signal: 'SIGINT' });
      server = await start();
    },
    async crash() {
      await endProcess(server, { signal: 'SIGQUIT' });
    },
    async stop() {
      await endProcess(server, { signal: 'SIGINT' });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root, so there it runs as the account that its package made. */
function serverAccount(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

async function untilReady(server: ChildProcess, url: string): Promise<void> {
  let log = '';
  server.stderr?.on('data', (chunk: Buffer) => (log = (log + chunk.toString()).slice(-4_000)));
  const deadline = Date.now() + 30_000;
  for (;;) {
    if (hasEnded(server)) throw new Error(`postgres ended at its start: ${log}`);
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    // pg emits this for a server that goes away later; the failed connect itself rejects below.
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (Date.now() > deadline)
        throw new Error(`postgres is not ready after 30 s: ${log}`, { cause: error });
      await delay(25);
    }
  }
}
