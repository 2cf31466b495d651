import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { SessionRef } from '../contracts/ids.ts';
import type { PermissionRule } from '../core/permission.ts';
import type { ModelRegistry } from '../model/registry.ts';
import type { GateCall } from '../schema/event.ts';
import type { Store } from '../store/store.ts';
import type { ToolSource } from '../tools/tool-source.ts';
import type { WorkerScope } from '../tools/worker-scope.ts';
import type { ContextCache } from './context-cache.ts';

export type RulesOfOwner = (owner: string) => readonly PermissionRule[] | Promise<readonly PermissionRule[]>;

/** **Contract:** may do I/O for some seconds; what it throws is logged, and harms no turn. */
export type GateHook = (notice: GateNotice) => void | Promise<void>;

export interface GateNotice {
  kind: 'overdue' | 'escalated';
  ref: SessionRef;
  turnId: string;
  call: GateCall;
}

/** What activities work with: made once for a worker. */
export interface ActivityDeps {
  store: Store;
  agents: AgentRegistry;
  models: ModelRegistry;
  contexts: ContextCache;
  /** What lives as long as the worker, for tool sources. */
  worker: WorkerScope;
  /** Rules that hold for all sessions of an owner. */
  rulesOf?: RulesOfOwner;
  /** Tools that every agent of this worker has besides its own. */
  sources?: readonly ToolSource[];
  /** Told when a gate is overdue or was escalated: to remind people. */
  onGate?: GateHook;
  /** How long an idle session's workflow stays, in milliseconds. */
  lingerMs: number;
  /** The cluster knows Durascope's search attributes. */
  hasSearchAttributes: boolean;
}
