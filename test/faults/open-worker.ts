import { NativeConnection } from '@temporalio/worker';
import type { Agent } from '../../src/agents/agent.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { createWorker, type WorkerOptions } from '../../src/worker/create-worker.ts';
import type { Stack } from '../support/stack.ts';

/** Where a worker finds everything: plain data, so that it can be told to another process. */
export interface WorkerPlace {
  address: string;
  storeUrl: string;
  taskQueue: string;
  modelUrl: string;
}

export interface OpenWorkerOptions extends Partial<Omit<WorkerOptions, 'agents' | 'store' | 'connection'>> {
  agents: Agent[];
  /** Puts something around the store that the activities use. */
  wrapStore?: (store: Store) => Store;
}

export interface OpenWorker {
  /** Asks it to end, and waits for that. */
  stop(): Promise<void>;
  ended: Promise<void>;
}

export function placeOf({ address, storeUrl, taskQueue, model }: Stack): WorkerPlace {
  return { address, storeUrl, taskQueue, modelUrl: model.baseUrl };
}

/** A running worker with connections of its own, as another process would have. */
export async function openWorker(place: WorkerPlace, options: OpenWorkerOptions): Promise<OpenWorker> {
  const { wrapStore = (store) => store, temporal, ...workerOptions } = options;
  const connection = await NativeConnection.connect({ address: place.address });
  const content = await openStore(place.storeUrl);
  const worker = await createWorker({
    models: { openai: { baseUrl: place.modelUrl, apiKey: 'test', api: 'chat' } },
    sessionLingerMs: 5_000,
    shutdownGraceMs: 500,
    ...workerOptions,
    store: { ...content, store: wrapStore(content.store) },
    connection,
    taskQueue: place.taskQueue,
    temporal: {
      workflowThreadPoolSize: 1,
      ...temporal,
    },
  });
  const ended = (async () => {
    try {
      await worker.run();
    } finally {
      await content.close();
      await connection.close();
    }
  })();
  return {
    ended,
    async stop() {
      worker.shutdown();
      await ended;
    },
  };
}
