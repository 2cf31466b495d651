import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { DurascopeClient } from 'durascope/client';
import { ScriptedModel } from 'durascope/testing';
import { openStore } from 'durascope/worker';
import { startEmbeddedTemporal, type EmbeddedTemporal } from '../../../src/embedded/temporal.ts';
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

/**
 * Starts all that a turn needs, its state kept in one folder.
 *
 * @param onStop takes what ends each part, in the order of their start
 */
export async function startStack(
  folder: string,
  log: (line: string) => void,
  onStop: (stop: () => unknown) => void,
): Promise<Stack> {
  mkdirSync(folder, { recursive: true });
  const temporal = await startEmbeddedTemporal({ dataDir: join(folder, 'temporal'), log });
  onStop(() => temporal.stop());
  const model = await chooseModel(onStop);
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

/** A real model where there is a key for one, or an endpoint that may want none. */
async function chooseModel(onStop: (stop: () => unknown) => void) {
  if (process.env['OPENAI_API_KEY'] || process.env['OPENAI_BASE_URL']) {
    const name = process.env['DURASCOPE_DEMO_MODEL'] ?? 'openai/gpt-5-mini';
    return { name, env: { DURASCOPE_DEMO_MODEL: name } };
  }
  const model = await ScriptedModel.start();
  onStop(() => model.stop());
  model.answers(scriptedReplies);
  return {
    name: 'scripted, because OPENAI_API_KEY is not set (all else is real)',
    env: {
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: 'scripted',
      DURASCOPE_DEMO_MODEL: 'openai/scripted',
    },
  };
}
