import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { ModelRegistry } from '../model/registry.ts';
import type { Store } from '../store/store.ts';
import type { ContextCache } from './context-cache.ts';

/** What activities work with: made once for a worker. */
export interface ActivityDeps {
  store: Store;
  agents: AgentRegistry;
  models: ModelRegistry;
  contexts: ContextCache;
  /** How long an idle session's workflow stays, in milliseconds. */
  lingerMs: number;
  /** The cluster knows Durascope's search attributes. */
  hasSearchAttributes: boolean;
}
