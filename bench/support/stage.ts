import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { DurascopeClient, type Session } from '../../src/client/index.ts';
import { startEmbeddedTemporal } from '../../src/embedded/temporal.ts';
import { openStore, type OpenStore } from '../../src/store/open-store.ts';
import { type Child, startChild } from './child.ts';
import { startPeer } from './peer.ts';
import type { TurnScript } from './turn-script.ts';
import type { WorkerSettings } from './worker-process.ts';

/** What the figures share. Every contender's worker has a process of its own, and is started when it is wanted for the first time. */
export interface Stage {
  /** A short run: does all of it work? Its numbers mean nothing. */
  isQuick: boolean;
  address: string;
  connection: Connection;
  temporal: Client;
  content: OpenStore;
  storeUrl: string;
  /** Of the scripted endpoint that all contenders ask. */
  modelUrl: string;
  /** Runs a turn of ours to its end without watching it, and names its workflow. */
  ours(script: TurnScript, agent?: 'wide' | 'usual' | 'mcp'): Promise<string>;
  /** A client of ours, its worker running. */
  client(): Promise<DurascopeClient>;
  /** A session of ours, its worker running. */
  session(id: string, agent?: 'usual' | 'bench-leader'): Promise<Session>;
  /** The task queue of that worker. */
  oursQueue: string;
  /** Runs the bare loop, and names its workflow. */
  floor(script: TurnScript): Promise<string>;
  /** The task queue of the bare workflows, their worker running. */
  floorQueue(): Promise<string>;
  /** Runs the turn with @temporalio/openai-agents, and names its workflow. */
  peer(script: TurnScript): Promise<string>;
  /** A worker of ours besides the shared one; it asks the shared endpoint where no other is named. */
  startWorker(settings: Pick<WorkerSettings, 'taskQueue'> & Partial<WorkerSettings>): Promise<Child>;
  /** A client for such a worker. */
  clientOf(taskQueue: string): Promise<DurascopeClient>;
  /** For a task queue or a session: one that no other run has. */
  newName(): string;
  close(): Promise<void>;
}

export async function openStage(isQuick: boolean): Promise<Stage> {
  Runtime.install({ logger: new DefaultLogger('WARN') });
  const folder = await mkdtemp(join(tmpdir(), 'durascope-bench-'));
  const server = await startEmbeddedTemporal({ dataDir: folder, port: 0, uiPort: 0 });
  const { address } = server;
  const storeUrl = `sqlite:${join(folder, 'store.db')}`;
  const content = await openStore(storeUrl);
  // A page of the peer's history is more than gRPC takes by default.
  const channelArgs = { 'grpc.max_receive_message_length': 256 * 1024 * 1024 };
  const connection = await Connection.connect({ address, channelArgs });
  const temporal = new Client({ connection });
  const endpoint = await startChild(pathOf('endpoint-process.ts'), {});
  const modelUrl = String(endpoint.hello);
  const children: Child[] = [endpoint];
  let names = 0;
  const newName = () => `bench-${process.pid}-${(names += 1)}`;

  const keep = async (starting: Promise<Child>): Promise<Child> => {
    const child = await starting;
    children.unshift(child);
    return child;
  };
  const startWorker: Stage['startWorker'] = (settings) =>
    keep(
      startChild(
        pathOf('worker-process.ts'),
        { address, storeUrl, modelUrl, ...settings },
        { execArgv: ['--expose-gc'] },
      ),
    );
  const clientOf = (taskQueue: string) => DurascopeClient.connect({ connection, store: content, taskQueue });
  const queues = { ours: newName(), floor: newName(), peer: newName() };
  const ourWorker = once(() => startWorker({ taskQueue: queues.ours }));
  const floorWorker = once(() =>
    keep(startChild(pathOf('../floor/worker-process.ts'), { address, taskQueue: queues.floor })),
  );
  const peerWorker = once(() => keep(startPeer({ address, taskQueue: queues.peer, modelUrl })));
  const client = await clientOf(queues.ours);

  return {
    isQuick,
    address,
    connection,
    temporal,
    content,
    storeUrl,
    modelUrl,
    startWorker,
    clientOf,
    newName,
    async ours(script, agent = 'wide') {
      await ourWorker();
      const session = client.session({ owner: 'bench', id: script.id, agent });
      const { id } = await session.submit(JSON.stringify(script));
      await untilEnded(temporal, id);
      return id;
    },
    oursQueue: queues.ours,
    async client() {
      await ourWorker();
      return client;
    },
    async session(id, agent = 'usual') {
      await ourWorker();
      return client.session({ owner: 'bench', id, agent });
    },
    async floor(script) {
      await floorWorker();
      const workflowId = `floor/${script.id}`;
      const args = [script.steps, script.calls, script.tool === 'mcp__bench__lookup'];
      await temporal.workflow.execute('bareTurn', { workflowId, taskQueue: queues.floor, args });
      return workflowId;
    },
    async floorQueue() {
      await floorWorker();
      return queues.floor;
    },
    async peer(script) {
      return (await peerWorker()).call('turn', script);
    },
    async close() {
      for (const child of children) await child.stop();
      await content.close();
      await connection.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Asks Temporal alone, so that nothing of ours reads along while a turn is timed. */
async function untilEnded(temporal: Client, workflowId: string): Promise<void> {
  for (;;) {
    try {
      await temporal.workflow.getHandle(workflowId).result();
      return;
    } catch (error) {
      // Its session has taken the input, and is about to start it.
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      await delay(20);
    }
  }
}

function once<T>(start: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined;
  return () => (started ??= start());
}

function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
