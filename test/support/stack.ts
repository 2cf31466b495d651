import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import type { Agent } from '../../src/agents/agent.ts';
import { DurascopeClient, type Durascope, type Session } from '../../src/client/index.ts';
import { createServer, listen, openAccess } from '../../src/server/index.ts';
import { openStore, type OpenStore } from '../../src/store/open-store.ts';
import { ScriptedModel } from '../../src/testing/index.ts';
import { createWorker, type DurascopeWorker, type WorkerOptions } from '../../src/worker/create-worker.ts';
import './quiet-temporal.ts';
import { sharedTemporal } from './temporal.ts';

export interface Stack {
  /** Over Temporal. */
  client: DurascopeClient;
  /** Over the transport asked for, as `session`. */
  caller: Durascope;
  /** Raw access, for what users do with Temporal's own tools. */
  connection: Connection;
  model: ScriptedModel;
  content: OpenStore;
  storeUrl: string;
  address: string;
  taskQueue: string;
  session(agent: Agent, id?: string): Session;
  startWorker(): Promise<RunningWorker>;
  stop(): Promise<void>;
}

export interface RunningWorker {
  worker: DurascopeWorker;
  stop(): Promise<void>;
}

export interface StackOptions extends Partial<Omit<WorkerOptions, 'agents' | 'store' | 'connection'>> {
  agents: Agent[];
  /** Default: the one that all suites of a run share. */
  address?: string;
  storeUrl?: string;
  /** Default true. */
  isStarted?: boolean;
  /** What `session` speaks. Default: DURASCOPE_TEST_TRANSPORT, so that any suite can be run over HTTP; else Temporal. */
  transport?: 'temporal' | 'http';
}

let stacks = 0;

/** A worker in this process, a client, a store of its own and a scripted model, on a real Temporal server. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { agents, address = sharedTemporal().address, isStarted = true, ...more } = options;
  const { transport = process.env['DURASCOPE_TEST_TRANSPORT'] ?? 'temporal', ...workerOptions } = more;
  stacks += 1;
  // Kept before the first await: several may start at once.
  const name = `${process.pid}-${stacks}`;
  const folder = await mkdtemp(join(tmpdir(), 'durascope-'));
  const storeUrl = options.storeUrl ?? `sqlite:${join(folder, 'store.db')}`;
  const taskQueue = options.taskQueue ?? `test-${name}`;
  const owner = `owner-${name}`;
  const model = await ScriptedModel.start();
  const connection = await Connection.connect({ address });
  const native = await NativeConnection.connect({ address });
  const content = await openStore(storeUrl);
  const client = await DurascopeClient.connect({ connection, store: content, taskQueue });
  const server =
    transport === 'http'
      ? await listen(createServer({ client, authenticate: openAccess(owner) }), { port: 0 })
      : undefined;
  const caller: Durascope = server ? await DurascopeClient.connect({ baseUrl: server.url }) : client;
  const running: RunningWorker[] = [];

  const startWorker = async (): Promise<RunningWorker> => {
    const worker = await createWorker({
      models: { openai: { baseUrl: model.baseUrl, apiKey: 'test', api: 'chat' } },
      sessionLingerMs: 5_000,
      shutdownGraceMs: 500,
      ...workerOptions,
      // Workflows run in this thread: to start one of their own costs half a second of CPU a stack.
      temporal: { debugMode: true, ...workerOptions.temporal },
      agents,
      store: content,
      connection: native,
      taskQueue,
    });
    const ended = worker.run();
    const handle = {
      worker,
      async stop() {
        if (!running.includes(handle)) return;
        running.splice(running.indexOf(handle), 1);
        worker.shutdown();
        await ended;
      },
    };
    running.push(handle);
    return handle;
  };
  if (isStarted) await startWorker();

  return {
    client,
    caller,
    connection,
    model,
    content,
    storeUrl,
    address,
    taskQueue,
    session: (agent, id = 's1') => caller.session({ owner, id, agent: agent.name }),
    startWorker,
    async stop() {
      for (const handle of running.slice()) await handle.stop();
      await server?.close(0);
      await client.close();
      await content.close();
      await connection.close();
      await native.close();
      await model.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
