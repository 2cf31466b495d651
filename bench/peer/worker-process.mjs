// A worker of @temporalio/openai-agents in a process of its own: its dependencies exclude ours.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { OpenAIAgentsPlugin } from '@temporalio/openai-agents';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { serve, settings } from '../support/serve.ts';

// As the plugin loads them: a second copy of them would not share its traces.
const require = createRequire(import.meta.url);
const { setTraceProcessors } = require('@openai/agents-core');
const { OpenAIProvider } = require('@openai/agents-openai');

const { address, taskQueue, modelUrl } = settings();
// Left to itself it writes its traces to the console, which would count against it.
setTraceProcessors([]);
const logger = new DefaultLogger('WARN');
Runtime.install({ logger });

const modelProvider = new OpenAIProvider({ baseURL: modelUrl, apiKey: 'bench', useResponses: false });
const plugin = new OpenAIAgentsPlugin({ modelProvider, modelParams: { startToCloseTimeout: '1m' } });
const native = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection: native,
  taskQueue,
  plugins: [plugin],
  activities: { lookup: async ({ n, bytes }) => `${n} `.padEnd(bytes, 'lorem ipsum ') },
  workflowBundle: await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('workflows.cjs', import.meta.url)),
    plugins: [plugin],
    logger,
  }),
});
const ended = worker.run();
const connection = await Connection.connect({ address });
const client = new Client({ connection, plugins: [plugin] });

/** Starts in here, because the plugin's client sends a header along that its workflow needs. */
async function turn(script) {
  const workflowId = `peer/${script.id}`;
  await client.workflow.execute('peerTurn', { workflowId, taskQueue, args: [script] });
  return workflowId;
}

serve(undefined, { turn }, async () => {
  worker.shutdown();
  await ended;
  await connection.close();
  await native.close();
});
