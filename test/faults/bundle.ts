import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

const workflowsPath = fileURLToPath(new URL('../../src/workflows/index.ts', import.meta.url));
const ignore = () => undefined;
const logger = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore, log: ignore };

/** Bundles the workflows into a file, as the build does: many worker processes then need not do it each. */
export async function bundleInto(path: string): Promise<void> {
  const { code } = await bundleWorkflowCode({ workflowsPath, logger });
  await writeFile(path, code);
}
