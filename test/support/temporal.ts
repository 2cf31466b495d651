import { inject } from 'vitest';
import { startDevServer } from '../../src/embedded/dev-server.ts';
import type { DevServer, DevServerOptions } from '../../src/embedded/dev-server.ts';

export interface SharedTemporal {
  address: string;
  uiUrl: string;
  namespace: string;
}

/** The dev server that all suites of a run share: take task queues and owners of your own. */
export function sharedTemporal(): SharedTemporal {
  return { address: inject('temporalAddress'), uiUrl: inject('temporalUiUrl'), namespace: 'default' };
}

/** A dev server of one's own, on any free port, for tests that stop, kill or configure it. */
export function startTemporal(
  options: Pick<DevServerOptions, 'dataDir' | 'extraArgs' | 'namespace' | 'port'> = {},
): Promise<DevServer> {
  return startDevServer({ port: 0, uiPort: 0, ...options });
}
