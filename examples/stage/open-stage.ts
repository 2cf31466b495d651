import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import type { Agent } from 'durascope';
import { DurascopeClient } from 'durascope/client';
import type { Responder } from 'durascope/testing';
import { createWorker, openStore } from 'durascope/worker';
import { startEmbeddedTemporal, type EmbeddedTemporal } from '../../src/embedded/temporal.ts';
import { chooseModel } from './choose-model.ts';
import type { Play } from './run-example.ts';

export interface Stage {
  temporal: EmbeddedTemporal;
  durascope: DurascopeClient;
  modelName: string;
}

export interface StageOptions {
  taskQueue: string;
  replies: Responder;
  /** Loads the agent, which names the model, once that is chosen. */
  loadAgent: () => Promise<Agent>;
}

/** Starts all that an agent needs: Temporal, a store, a worker in this process, and, without a key, a scripted model. */
export async function openStage(
  { folder, log, onStop }: Play,
  { taskQueue, replies, loadAgent }: StageOptions,
): Promise<Stage> {
  mkdirSync(folder, { recursive: true });
  Runtime.install({ logger: new DefaultLogger('WARN') });
  const temporal = await startEmbeddedTemporal({ dataDir: join(folder, 'temporal'), log });
  onStop(() => temporal.stop());
  const model = await chooseModel(replies, onStop);
  Object.assign(process.env, model.env);
  const agents = [await loadAgent()];
  const { address, namespace } = temporal;
  const store = await openStore(`sqlite:${join(folder, 'store.db')}`);
  onStop(() => store.close());
  const connection = await Connection.connect({ address });
  onStop(() => connection.close());
  const native = await NativeConnection.connect({ address });
  onStop(() => native.close());
  const worker = await createWorker({ agents, connection: native, namespace, store, taskQueue });
  const ended = worker.run();
  onStop(async () => {
    worker.shutdown();
    await ended;
  });
  const durascope = await DurascopeClient.connect({ connection, namespace, store, taskQueue });
  return { temporal, durascope, modelName: model.name };
}
