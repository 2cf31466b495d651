import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { DurascopeClient } from 'durascope/client';
import { openStore } from 'durascope/worker';
import { startEmbeddedTemporal, type EmbeddedTemporal } from '../../../src/embedded/temporal.ts';
import { chooseModel } from '../../stage/choose-model.ts';
import type { Play } from '../../stage/run-example.ts';
import { openShop, type Shop } from '../shop.ts';
import { startAdminPage } from './admin-page.ts';
import { scriptedReplies } from './scripted-replies.ts';
import { startWorkerProcess, type WorkerProcess } from './worker-process.ts';

export interface Stack {
  temporal: EmbeddedTemporal;
  /** For what people do with Temporal's own tools. */
  temporalClient: Client;
  durascope: DurascopeClient;
  adminPageUrl: string;
  shop: Shop;
  shopFile: string;
  modelName: string;
  startWorker(name: string): Promise<WorkerProcess>;
  /** Rejects when a worker ends that nobody ended. */
  workerLost: Promise<never>;
}

/** Starts all that a turn needs, its state kept in one folder. */
export async function startStack({ folder, log, onStop }: Play): Promise<Stack> {
  mkdirSync(folder, { recursive: true });
  const temporal = await startEmbeddedTemporal({ dataDir: join(folder, 'temporal'), log });
  onStop(() => temporal.stop());
  const model = await chooseModel(scriptedReplies, onStop);
  const { address, namespace } = temporal;

  const shopFile = join(folder, 'shop.db');
  const shop = openShop(shopFile);
  onStop(() => shop.close());
  const storeUrl = `sqlite:${join(folder, 'store.db')}`;
  const content = await openStore(storeUrl);
  onStop(() => content.close());
  const connection = await Connection.connect({ address });
  onStop(() => connection.close());
  // A server that TEMPORAL_ADDRESS names may be shared, but the store is on this machine.
  const taskQueue = `order-support@${hostname()}`;

  const { promise: workerLost, reject } = Promise.withResolvers<never>();
  workerLost.catch(() => {});
  const env = {
    ...model.env,
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
    DURASCOPE_STORE: storeUrl,
    SHOP_DB: shopFile,
    ORDER_SUPPORT_QUEUE: taskQueue,
  };
  const durascope = await DurascopeClient.connect({ connection, namespace, store: content, taskQueue });
  const adminPage = await startAdminPage(durascope, temporal);
  onStop(() => adminPage.stop());
  return {
    temporal,
    temporalClient: new Client({ connection, namespace }),
    durascope,
    adminPageUrl: adminPage.url,
    shop,
    shopFile,
    modelName: model.name,
    async startWorker(name) {
      const worker = await startWorkerProcess(env, join(folder, `${name}.log`), reject);
      onStop(() => worker.stop());
      return worker;
    },
    workerLost,
  };
}
