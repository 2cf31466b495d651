import { createModelRegistry } from '../model/registry.ts';
import type { Settings } from '../settings/settings.ts';
import { openVault } from '../store/vault.ts';
import type { WorkerScope } from '../tools/worker-scope.ts';
import { openWorkerScope } from '../worker/worker-scope.ts';
import { openExistingStore } from './existing-store.ts';
import { keyFileOf, namedServers } from './mcp-servers.ts';

/** Runs something with what tool sources get of a worker, where there is none. */
export async function withToolScope<T>(
  settings: Settings,
  run: (scope: WorkerScope) => Promise<T>,
): Promise<T> {
  // Only here, for it loads the protocol's library.
  const { McpPool, mcpPool } = await import('../mcp/pool.ts');
  const content = await openExistingStore(settings.store);
  const vault = openVault(content.store.secrets, { keyFile: keyFileOf(settings) });
  const models = createModelRegistry({ providers: settings.models });
  const scope = openWorkerScope({ vault, models });
  scope.resource(mcpPool, () => new McpPool({ vault, models, named: namedServers(settings) }));
  try {
    return await run(scope);
  } finally {
    await scope.close();
    await content.close();
  }
}
