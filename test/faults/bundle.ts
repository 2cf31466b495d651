import { writeFile } from 'node:fs/promises';
import { workflowBundle } from '../../src/worker/workflow-bundle.ts';

/** Writes the workflows' bundle into a file, as the build does: many worker processes then need not make it each. */
export async function bundleInto(path: string): Promise<void> {
  const bundle = await workflowBundle();
  if (!('code' in bundle)) throw new Error('the bundle was made ahead of time, and may be stale: remove it');
  await writeFile(path, bundle.code);
}
