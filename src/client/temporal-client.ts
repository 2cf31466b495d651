import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { defaultTaskQueue } from '../contracts/task-queues.ts';
import { watchOwner } from '../events/watch-owner.ts';
import { readDevRecord } from '../settings/dev-record.ts';
import { openStore, type OpenStore } from '../store/open-store.ts';
import type { GateState } from '../store/call-store.ts';
import type { DayUsage, Page, PageRequest } from '../store/store.ts';
import type {
  Durascope,
  EventOptions,
  Health,
  PendingCall,
  Session,
  ServiceLoad,
  SessionAddress,
  SessionFilter,
  SessionSummary,
} from './client.ts';
import { checkId, checkKnown } from './check-options.ts';
import { DurascopeError } from './durascope-error.ts';
import { HttpDurascope, type HttpConnectOptions } from './http-client.ts';
import type { Pipelines } from './pipelines.ts';
import type { Schedules } from './schedules.ts';
import { TemporalPipelines } from './temporal-pipelines.ts';
import { unanswered } from './answer-in-call.ts';
import { toPendingCall } from './pending-call.ts';
import { TemporalSchedules } from './temporal-schedules.ts';
import { OpenTurns } from './open-turns.ts';
import { TemporalSession } from './temporal-session.ts';

/** As Temporal numbers them. */
const taskQueueType = { workflow: 1, activity: 2 } as const;

/** How long a dependency may take to say that it is there. */
const healthMs = 3_000;

const watchedGates = 100;

const connectFields = ['store', 'connection', 'namespace', 'taskQueue'] satisfies (keyof ConnectOptions)[];

export interface ConnectOptions {
  /** Where content is kept: a url, or a store that is open already (which then stays open). Default: DURASCOPE_STORE, else that of a running `durascope dev`. */
  store?: string | OpenStore;
  /**
   * An open connection to Temporal (which then stays open). Default: one made from TEMPORAL_ADDRESS and its like, else to the `durascope dev`
   * that runs in this folder.
   */
  connection?: Connection;
  namespace?: string;
  taskQueue?: string;
}

/** What sessions and turns of one client share. */
export interface ClientContext {
  temporal: Client;
  content: OpenStore;
  taskQueue: string;
  openTurns: OpenTurns;
}

/**
 * Starts turns, answers gates and reads sessions, over Temporal and the store.
 *
 * @example
 * const durascope = await DurascopeClient.connect();
 * const turn = await durascope.session({ owner: 'acme', id: 'case-42', agent: 'support' }).submit('Refund order 1001');
 * const reply = await turn.result();
 */
export class DurascopeClient implements Durascope {
  /** Work of several agents as data. */
  readonly pipelines: Pipelines;
  /** Turns of agents at set times. */
  readonly schedules: Schedules;
  readonly #context: ClientContext;
  readonly #owned: { close(): Promise<void> }[];

  private constructor(context: ClientContext, owned: { close(): Promise<void> }[]) {
    this.#context = context;
    this.#owned = owned;
    this.pipelines = new TemporalPipelines(context);
    this.schedules = new TemporalSchedules(context);
  }

  /** By the HTTP API of a server. */
  static connect(options: HttpConnectOptions): Promise<Durascope>;
  /** @throws DurascopeError `temporal_unavailable`; StoreUrlError, StoreUnavailableError. */
  static connect(options?: ConnectOptions): Promise<DurascopeClient>;
  static async connect(options: ConnectOptions | HttpConnectOptions = {}): Promise<Durascope> {
    if ('baseUrl' in options) return new HttpDurascope(options);
    checkKnown('connect', options, connectFields);
    const config = loadClientConnectConfig();
    const isNamed = options.connection !== undefined || config.connectionOptions.address !== undefined;
    const dev = isNamed ? undefined : readDevRecord(join(process.cwd(), '.durascope'));
    const address = config.connectionOptions.address ?? dev?.address ?? 'localhost:7233';
    const owned: { close(): Promise<void> }[] = [];
    const connection = options.connection ?? (await connect({ ...config.connectionOptions, address }, owned));
    const content = await openContent(options.store, dev?.store, owned).catch(async (error: unknown) => {
      for (const resource of owned) await resource.close();
      throw error;
    });
    const namespace = options.namespace ?? config.namespace ?? dev?.namespace ?? 'default';
    const temporal = new Client({ connection, namespace });
    const taskQueue = options.taskQueue ?? dev?.taskQueue ?? defaultTaskQueue;
    return new DurascopeClient({ temporal, content, taskQueue, openTurns: new OpenTurns(temporal) }, owned);
  }

  session(address: SessionAddress): Session {
    const { owner, id, agent } = address;
    checkId('owner', owner);
    checkId('id', id);
    if (agent !== undefined) checkId('agent', agent);
    return new TemporalSession(this.#context, { owner, sessionId: id }, agent);
  }

  sessions(owner: string, filter: SessionFilter = {}): Promise<Page<SessionSummary>> {
    const { sessions } = this.#context.content.store;
    if (!('parent' in filter)) return sessions.list(owner, filter);
    const { parent, ...page } = filter;
    return sessions.children({ owner, sessionId: parent }, page);
  }

  async gates(owner: string, page: PageRequest & { state?: GateState } = {}): Promise<Page<PendingCall>> {
    const { store } = this.#context.content;
    const { items, ...rest } = await store.calls.open(owner, page);
    const open = await unanswered(store, items, ({ ref }) => ref);
    const answerable = await this.#context.openTurns.answerable(open);
    return {
      ...rest,
      items: answerable.map((call) => ({
        ...toPendingCall(call, call.ref),
        ...(call.path ? { path: call.path } : {}),
      })),
    };
  }

  watchGates(
    owner: string,
    { signal }: Pick<EventOptions, 'signal'> = {},
  ): AsyncGenerator<Page<PendingCall>, void, void> {
    const { bus } = this.#context.content;
    return watchOwner(bus, owner, () => this.gates(owner, { limit: watchedGates }), signal);
  }

  async sessionOfCall(owner: string, callId: string): Promise<Session> {
    const call = await this.#context.content.store.calls.find(owner, callId);
    if (!call)
      throw new DurascopeError('not_found', `Owner ${owner} has no call ${callId}: see "durascope gates"`);
    return this.session({ owner, id: call.ref.sessionId });
  }

  usage(owner: string, { from, to }: { from: string; to: string }): Promise<DayUsage[]> {
    return this.#context.content.store.usage.list(owner, from, to);
  }

  async load(): Promise<ServiceLoad> {
    const [gates, workflows, activities] = await Promise.all([
      this.#context.content.store.calls.countOpen(),
      this.#backlog(taskQueueType.workflow),
      this.#backlog(taskQueueType.activity),
    ]);
    return { gates, queued: { workflows, activities } };
  }

  async #backlog(type: number): Promise<number> {
    const { temporal, taskQueue } = this.#context;
    const { stats } = await temporal.workflowService.describeTaskQueue({
      namespace: temporal.options.namespace,
      taskQueue: { name: taskQueue },
      // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- its package is none of ours
      taskQueueType: type,
      reportStats: true,
    });
    return Number(stats?.approximateBacklogCount ?? 0);
  }

  async health(): Promise<Health> {
    const { content, temporal } = this.#context;
    const [store, cluster] = await Promise.all([
      outcomeOf(() => content.store.ping()),
      outcomeOf(() =>
        temporal.connection.withDeadline(Date.now() + healthMs, () =>
          temporal.workflowService.describeNamespace({ namespace: temporal.options.namespace }),
        ),
      ),
    ]);
    return { store, temporal: cluster };
  }

  async close(): Promise<void> {
    for (const resource of this.#owned) await resource.close();
  }
}

async function outcomeOf(ask: () => Promise<unknown>): Promise<string> {
  const timeout = new AbortController();
  const late = delay(healthMs, undefined, { signal: timeout.signal }).then(() => {
    throw new Error(`no answer within ${healthMs / 1000} s`);
  });
  try {
    await Promise.race([ask(), late]);
    return 'ok';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    late.catch(() => {});
    timeout.abort();
  }
}

async function connect(
  options: { address: string },
  owned: { close(): Promise<void> }[],
): Promise<Connection> {
  try {
    const connection = await Connection.connect({ connectTimeout: '10s', ...options });
    owned.push(connection);
    return connection;
  } catch (cause) {
    throw new DurascopeError(
      'temporal_unavailable',
      `No Temporal server answers at ${options.address}: start one with "durascope dev", or set TEMPORAL_ADDRESS`,
      { cause },
    );
  }
}

async function openContent(
  store: ConnectOptions['store'],
  ofDev: string | undefined,
  owned: { close(): Promise<void> }[],
): Promise<OpenStore> {
  if (typeof store === 'object') return store;
  const content = await openStore(store ?? process.env['DURASCOPE_STORE'] ?? ofDev ?? '');
  owned.push(content);
  return content;
}
