import type { TestProject } from 'vitest/node';
import { startDevServer } from '../../src/embedded/dev-server.ts';
import { ensurePostgres } from './find-postgres.ts';
import { ensureTestServer } from './find-test-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    temporalAddress: string;
    temporalUiUrl: string;
  }
}

/** Brings and starts what the suites need before the first test, so that no test waits for a download. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  ensurePostgres();
  await ensureTestServer();
  const temporal = await startDevServer({ port: 0, uiPort: 0, log: (line) => console.log(line) });
  project.provide('temporalAddress', temporal.address);
  project.provide('temporalUiUrl', temporal.uiUrl);
  return () => temporal.stop();
}
