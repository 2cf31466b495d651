import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { searchAttributes } from '../../src/contracts/search-attributes.ts';
import { startDevServer } from '../../src/embedded/dev-server.ts';
import type { DevServer, DevServerOptions } from '../../src/embedded/dev-server.ts';
import { findTemporalCli } from '../../src/embedded/find-cli.ts';
import { nextFreePort } from '../../src/embedded/ports.ts';

describe('startDevServer', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'durascope-dev-'));
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  it('takes workflows with our search attributes as soon as it has started', async () => {
    const server = await start({ dataDir });
    const client = await clientOf(server);
    const typedSearchAttributes = new TypedSearchAttributes([
      { key: searchAttributes.owner, value: 'acme' },
      { key: searchAttributes.gates, value: 2 },
    ]);
    const handle = await client.workflow.start('any', {
      taskQueue: 'any',
      workflowId: 'w',
      typedSearchAttributes,
    });
    const { typedSearchAttributes: kept } = await handle.describe();
    expect(kept.get(searchAttributes.owner)).toBe('acme');
    expect(kept.get(searchAttributes.gates)).toBe(2);
  });

  it.each([
    { how: 'a stop', end: (server: DevServer) => server.stop() },
    { how: 'a SIGKILL', end: (server: DevServer) => server.kill() },
  ])('keeps workflows over $how', async ({ end }) => {
    const first = await start({ dataDir });
    const client = await clientOf(first);
    await client.workflow.start('any', { taskQueue: 'any', workflowId: 'kept' });
    await end(first);

    const second = await start({ dataDir });
    const description = await (await clientOf(second)).workflow.getHandle('kept').describe();
    expect(description.status.name).toBe('RUNNING');
  });

  it('serves Temporal Web at its uiUrl', async () => {
    const server = await start({});
    const page = await fetch(server.uiUrl);
    expect(page.status).toBe(200);
  });

  it('takes the next free ports when those asked for are taken, and says so', async () => {
    const taken = await takePort();
    const lines: string[] = [];
    const server = await start({ port: taken, uiPort: taken, log: (line) => lines.push(line) });
    expect(Number(server.address.split(':')[1])).toBeGreaterThan(taken);
    expect(new URL(server.uiUrl).port).not.toBe(server.address.split(':')[1]);
    expect(lines.filter((line) => line.startsWith(`port ${taken} is taken`))).toHaveLength(2);
  });

  it('refuses a data folder whose server runs for another process', async () => {
    await start({ dataDir });
    await expect(startDevServer({ dataDir, port: 0, uiPort: 0 })).rejects.toMatchObject({
      code: 'data_in_use',
      message: expect.stringContaining(dataDir) as string,
    });
  });

  it('ends a server that its dead starter left on the data folder', async () => {
    const args = ['server', 'start-dev', '--headless', '--db-filename', join(dataDir, 'temporal.db')];
    const port = await nextFreePort(20_000);
    const orphan = spawn(await findTemporalCli(), [...args, '--port', String(port)], { stdio: 'ignore' });
    const ended = once(orphan, 'exit');
    const deadStarter = 0;
    await writeFile(join(dataDir, 'temporal.pid'), `${orphan.pid} ${deadStarter}\n`);

    const server = await start({ dataDir });
    await ended;
    expect(server.pid).not.toBe(orphan.pid);
  });

  it.runIf(process.platform === 'linux')('does not outlive a starter that is SIGKILLed', async () => {
    const module = new URL('../../src/embedded/dev-server.ts', import.meta.url).href;
    const script = `const { startDevServer } = await import('${module}');
      console.log(JSON.stringify(await startDevServer({ dataDir: '${dataDir}', port: 0, uiPort: 0 })));`;
    const starter = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(starter.stdout, 'data')) as [Buffer];
    const { pid } = JSON.parse(line.toString()) as { pid: number };
    starter.kill('SIGKILL');
    await expect.poll(() => processState(pid), { timeout: 20_000 }).toMatch(/gone|Z/);
  });

  it('says what the server said when it ends at its start', async () => {
    await expect(startDevServer({ port: 0, uiPort: 0, extraArgs: ['--no-such-flag'] })).rejects.toMatchObject(
      {
        code: 'failed_to_start',
        message: expect.stringContaining('no-such-flag') as string,
      },
    );
  });
});

async function start(options: DevServerOptions): Promise<DevServer> {
  const server = await startDevServer({ port: 0, uiPort: 0, ...options });
  onTestFinished(() => server.stop());
  return server;
}

async function clientOf(server: DevServer): Promise<Client> {
  const connection = await Connection.connect({ address: server.address });
  onTestFinished(() => connection.close());
  return new Client({ connection, namespace: server.namespace });
}

async function takePort(): Promise<number> {
  const port = await nextFreePort(21_000);
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return port;
}

/** Linux's letter for the state of a process: Z for one that has ended and is not yet collected. */
async function processState(pid: number): Promise<string> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return /^State:\s+(\S)/m.exec(status)?.[1] ?? 'gone';
}
