// Bundles the workflows ahead of time, so that a worker in production starts without the bundler.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const { code } = await bundleWorkflowCode({
  workflowsPath: pathOf('../dist/workflows/index.js'),
  payloadConverterPath: pathOf('../dist/workflows/payload-converter.js'),
  logger: new DefaultLogger('WARN'),
});
await writeFile(pathOf('../dist/workflow-bundle.js'), code);
