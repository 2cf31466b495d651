import type { TestProject } from 'vitest/node';
import { startDevServer } from '../../src/embedded/dev-server.ts';
import type { DevServer } from '../../src/embedded/dev-server.ts';
import { ensurePostgres } from './find-postgres.ts';
import { ensureTestServer } from './find-test-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    temporalAddress: string;
    temporalUiUrl: string;
  }
}

let temporal: DevServer | undefined;

/** Brings and starts what the suites need before the first test, so that no test waits for a download. */
export async function setup(project: TestProject): Promise<void> {
  ensurePostgres();
  await ensureTestServer();
  temporal = await startDevServer({ port: 0, uiPort: 0, log: (line) => console.log(line) });
  project.provide('temporalAddress', temporal.address);
  project.provide('temporalUiUrl', temporal.uiUrl);
}

export async function teardown(): Promise<void> {
  // Its state is in memory: nothing to save, and a polite end takes a second.
  await temporal?.kill();
}
