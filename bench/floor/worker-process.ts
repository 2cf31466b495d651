import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { serve, settings } from '../support/serve.ts';
import * as activities from './activities.ts';

const { address, taskQueue } = settings() as { address: string; taskQueue: string };
const logger = new DefaultLogger('WARN');
Runtime.install({ logger });
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  taskQueue,
  activities,
  workflowBundle: await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('workflows.ts', import.meta.url)),
    logger,
  }),
});
const ended = worker.run();

serve(undefined, {}, async () => {
  worker.shutdown();
  await ended;
  await connection.close();
});
