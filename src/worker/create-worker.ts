import { loadClientConnectConfig } from '@temporalio/envconfig';
import { NativeConnection, Worker, type WorkerOptions as TemporalWorkerOptions } from '@temporalio/worker';
import { ContextCache } from '../activities/context-cache.ts';
import { createActivities } from '../activities/create-activities.ts';
import type { GateHook, RulesOfOwner } from '../activities/deps.ts';
import { heartbeatMs } from '../activities/liveness.ts';
import type { Agent } from '../agents/agent.ts';
import { createAgentRegistry } from '../agents/agent-registry.ts';
import { defaultTaskQueue } from '../contracts/task-queues.ts';
import type { McpServer } from '../mcp/server.ts';
import { createModelRegistry, type ProviderConfig } from '../model/registry.ts';
import { DefinitionError } from '../tools/definition-error.ts';
import type { WorkerScope } from '../tools/worker-scope.ts';
import { openStore, type OpenStore } from '../store/open-store.ts';
import { openVault, type VaultOptions } from '../store/vault.ts';
import { checkMcpNames } from './check-mcp-names.ts';
import { measureActivities } from './measure-activities.ts';
import { hasSearchAttributes } from './search-attributes.ts';
import { checkWorkflowsPath, workflowBundle } from './workflow-bundle.ts';
import { openWorkerScope } from './worker-scope.ts';

export interface WorkerOptions {
  agents: readonly Agent[];
  /** How model names resolve; default: `openai/…` by OPENAI_BASE_URL and OPENAI_API_KEY. */
  models?: Record<string, ProviderConfig>;
  /** Where content is kept: a url, or a store that is open already (which then stays open). Default: DURASCOPE_STORE. */
  store?: string | OpenStore;
  /** An open connection to Temporal (which then stays open); default: one made from TEMPORAL_ADDRESS and its like. */
  connection?: NativeConnection;
  namespace?: string;
  taskQueue?: string;
  /**
   * A module of your own workflows, which may run turns by `durascope/workflow`: they are registered beside ours. An absolute path; a
   * bundle made ahead goes into `temporal.workflowBundle` instead, and must export all of `durascope/workflow` too.
   */
  workflowsPath?: string;
  /** MCP servers that agents name in their `sources`, as `mcpServer('name')`. */
  mcp?: readonly McpServer[];
  /** How owners' tokens are encrypted in the store. Default: with DURASCOPE_SECRET_KEY. */
  vault?: VaultOptions;
  /** Permission rules that hold for all sessions of an owner, asked before each model call. */
  rulesOf?: RulesOfOwner;
  /** Told when nobody answered a gate in time: to remind people. */
  onGate?: GateHook;
  /** How long an idle session's workflow stays before it returns, in milliseconds. Default one minute. */
  sessionLingerMs?: number;
  /** How long running activities may go on after a shutdown is asked for, in milliseconds. Default ten seconds. */
  shutdownGraceMs?: number;
  /** Further options of the Temporal worker: limits, tuning, versioning. */
  temporal?: Partial<TemporalWorkerOptions>;
}

export interface DurascopeWorker {
  /** Polls until `shutdown` is called, and then ends what runs: nothing is lost, another worker goes on. */
  run(): Promise<void>;
  shutdown(): void;
}

/**
 * Makes a worker that runs the turns of these agents.
 *
 * @throws DefinitionError for agents that can't be or too small a cache, StoreUrlError, StoreUnavailableError, or the connection's error.
 * @example await (await createWorker({ agents: [support], store: 'postgres://…' })).run();
 */
export async function createWorker(options: WorkerOptions): Promise<DurascopeWorker> {
  checkCache(options.temporal?.maxCachedWorkflows);
  const agents = createAgentRegistry(options.agents);
  const models = createModelRegistry(options.models ? { providers: options.models } : {});
  for (const agent of agents.list()) models.resolve(agent.model);
  checkMcpNames(options.agents, options.mcp ?? []);
  checkWorkflowsPath(options.workflowsPath);

  const opened: { close(): Promise<void> }[] = [];
  const closeAll = async () => {
    for (const resource of opened) await resource.close();
  };
  try {
    const { connection, namespace } = await connect(options, opened);
    const { store } = await openContent(options.store, opened);
    const vault = openVault(store.secrets, options.vault);
    const scope = openWorkerScope({ vault, models });
    if (options.mcp && options.mcp.length > 0) await poolNamed(scope, options.mcp);
    opened.unshift(scope);
    const activities = measureActivities(
      createActivities({
        store,
        agents,
        models,
        contexts: new ContextCache(),
        worker: scope,
        ...(options.rulesOf ? { rulesOf: options.rulesOf } : {}),
        ...(options.onGate ? { onGate: options.onGate } : {}),
        lingerMs: options.sessionLingerMs ?? 60_000,
        hasSearchAttributes: await hasSearchAttributes(connection, namespace),
      }),
    );
    const worker = await Worker.create({
      connection,
      namespace,
      taskQueue: options.taskQueue ?? defaultTaskQueue,
      workflowBundle: options.temporal?.workflowBundle ?? (await workflowBundle(options.workflowsPath)),
      activities,
      shutdownGraceTime: options.shutdownGraceMs ?? 10_000,
      // An interrupt reaches a running activity with its next heartbeat, so heartbeats must not be held back.
      maxHeartbeatThrottleInterval: heartbeatMs,
      defaultHeartbeatThrottleInterval: heartbeatMs,
      ...options.temporal,
    });
    return {
      async run() {
        try {
          await worker.run();
        } finally {
          await closeAll();
        }
      },
      shutdown: () => worker.shutdown(),
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Below it turns were seen to stall, or the SDK reports a bug of its own with each eviction. */
const leastCachedWorkflows = 11;

function checkCache(maxCachedWorkflows: number | undefined): void {
  if (maxCachedWorkflows === undefined || maxCachedWorkflows >= leastCachedWorkflows) return;
  throw new DefinitionError(
    'worker',
    'temporal.maxCachedWorkflows',
    `it is ${maxCachedWorkflows}, and must be at least ${leastCachedWorkflows}: a session and its turn answer each other within one task, and Temporal's SDK stalls when it has to evict them in the middle of that. Leave it out, or bound memory by the number of turns that run at once`,
  );
}

/** The protocol's library takes a moment to load, and is not needed where no server is named. */
async function poolNamed(scope: WorkerScope, named: readonly McpServer[]): Promise<void> {
  const { McpPool, mcpPool } = await import('../mcp/pool.ts');
  scope.resource(mcpPool, () => new McpPool({ vault: scope.vault, models: scope.models, named }));
}

async function connect(options: WorkerOptions, opened: { close(): Promise<void> }[]) {
  const { connectionOptions, namespace } = loadClientConnectConfig();
  const connection = options.connection ?? (await NativeConnection.connect(connectionOptions));
  if (connection !== options.connection) opened.push(connection);
  return { connection, namespace: options.namespace ?? namespace ?? 'default' };
}

async function openContent(
  store: WorkerOptions['store'],
  opened: { close(): Promise<void> }[],
): Promise<OpenStore> {
  if (typeof store === 'object') return store;
  const content = await openStore(store ?? process.env['DURASCOPE_STORE'] ?? '');
  opened.push(content);
  return content;
}
