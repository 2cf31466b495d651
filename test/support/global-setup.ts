import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startDevServer } from '../../src/embedded/dev-server.ts';
import type { DevServer } from '../../src/embedded/dev-server.ts';
import { bundleOwn } from '../../src/worker/workflow-bundle.ts';
import { ensurePostgres } from './find-postgres.ts';
import { ensureTestServer } from './find-test-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    temporalAddress: string;
    temporalUiUrl: string;
  }
}

let temporal: DevServer | undefined;
let folder: string | undefined;

/** Brings and starts what the suites need before the first test, so that no test waits for a download. */
export async function setup(project: TestProject): Promise<void> {
  ensurePostgres();
  await ensureTestServer();
  folder = await mkdtemp(join(tmpdir(), 'durascope-test-'));
  const bundle = join(folder, 'workflow-bundle.js');
  await writeFile(bundle, (await bundleOwn()).code);
  // Inherited by the processes of the test files and by those that they start: each would compile and bundle anew.
  process.env['DURASCOPE_WORKFLOW_BUNDLE'] = bundle;
  process.env['NODE_COMPILE_CACHE'] = join(tmpdir(), 'node-compile-cache');
  // In a file, which takes a sixth less of the server's CPU than memory does.
  temporal = await startDevServer({
    port: 0,
    uiPort: 0,
    dataDir: join(folder, 'temporal'),
    log: (line) => console.log(line),
  });
  project.provide('temporalAddress', temporal.address);
  project.provide('temporalUiUrl', temporal.uiUrl);
}

export async function teardown(): Promise<void> {
  // Its state goes with its folder: nothing to save, and a polite end takes a second.
  await temporal?.kill();
  if (folder) await rm(folder, { recursive: true, force: true });
}
