import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { createWorker } from '../../src/worker/index.ts';
import { leader, mcp, usual, wide } from './agents.ts';
import { memoryOf } from './memory-of.ts';
import { serve, settings } from './serve.ts';

export interface WorkerSettings {
  address: string;
  taskQueue: string;
  storeUrl: string;
  modelUrl: string;
  /** Temporal's own default where it is absent. */
  maxCachedWorkflows?: number;
}

const { address, taskQueue, storeUrl, modelUrl, maxCachedWorkflows } = settings() as WorkerSettings;
Runtime.install({ logger: new DefaultLogger('WARN') });
const connection = await NativeConnection.connect({ address });
const worker = await createWorker({
  connection,
  taskQueue,
  store: storeUrl,
  agents: [wide, usual, mcp, leader],
  models: { bench: { baseUrl: modelUrl, apiKey: 'bench', api: 'chat' } },
  // Sessions that come to rest while another contender is measured would count against it.
  sessionLingerMs: 3_600_000,
  shutdownGraceMs: 500,
  ...(maxCachedWorkflows === undefined ? {} : { temporal: { maxCachedWorkflows } }),
});
const ended = worker.run();

serve(undefined, { memory: memoryOf }, async () => {
  worker.shutdown();
  await ended;
  await connection.close();
});
