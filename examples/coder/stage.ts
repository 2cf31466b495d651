import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { DurascopeClient } from 'durascope/client';
import { ScriptedModel } from 'durascope/testing';
import { createWorker, openStore } from 'durascope/worker';
import { startEmbeddedTemporal, type EmbeddedTemporal } from '../../src/embedded/temporal.ts';
import { scriptedReplies } from './scripted-replies.ts';

export interface Stage {
  temporal: EmbeddedTemporal;
  durascope: DurascopeClient;
  modelName: string;
}

/**
 * Starts all that the agent needs: Temporal, a store, a worker in this process, and, without a key, a scripted model.
 *
 * @param onStop takes what ends each part, in the order of their start
 */
export async function openStage(
  folder: string,
  log: (line: string) => void,
  onStop: (stop: () => unknown) => void,
): Promise<Stage> {
  mkdirSync(folder, { recursive: true });
  process.env['CODER_DIR'] = folder;
  Runtime.install({ logger: new DefaultLogger('WARN') });
  const temporal = await startEmbeddedTemporal({ dataDir: join(folder, 'temporal'), log });
  onStop(() => temporal.stop());
  const modelName = await chooseModel(onStop);
  // Read once folder and model are known: the agent names them.
  const { coder } = await import('./agent.ts');
  const { address, namespace } = temporal;
  const store = await openStore(`sqlite:${join(folder, 'store.db')}`);
  onStop(() => store.close());
  const connection = await Connection.connect({ address });
  onStop(() => connection.close());
  const native = await NativeConnection.connect({ address });
  onStop(() => native.close());
  const taskQueue = 'coder';
  const worker = await createWorker({ agents: [coder], connection: native, namespace, store, taskQueue });
  const ended = worker.run();
  onStop(async () => {
    worker.shutdown();
    await ended;
  });
  const durascope = await DurascopeClient.connect({ connection, namespace, store, taskQueue });
  return { temporal, durascope, modelName };
}

/** A real model where there is a key for one, or an endpoint that may want none. */
async function chooseModel(onStop: (stop: () => unknown) => void): Promise<string> {
  if (process.env['OPENAI_API_KEY'] || process.env['OPENAI_BASE_URL'])
    return (process.env['DURASCOPE_DEMO_MODEL'] ??= 'openai/gpt-5-mini');
  const model = await ScriptedModel.start();
  onStop(() => model.stop());
  model.answers(scriptedReplies);
  process.env['OPENAI_BASE_URL'] = model.baseUrl;
  process.env['OPENAI_API_KEY'] = 'scripted';
  process.env['DURASCOPE_DEMO_MODEL'] = 'openai/scripted';
  return 'scripted, because OPENAI_API_KEY is not set (all else is real)';
}
