import type { z } from 'zod';
import type * as api from '../schema/api-answers.ts';
import type { GateState } from '../store/call-store.ts';
import type { DayUsage, Page, PageRequest } from '../store/store.ts';
import { checkId, checkKnown } from './check-options.ts';
import type {
  Durascope,
  EventOptions,
  Health,
  PendingCall,
  ServiceLoad,
  Session,
  SessionAddress,
  SessionFilter,
  SessionSummary,
} from './client.ts';
import { DurascopeError } from './durascope-error.ts';
import { httpStream } from './http-events.ts';
import { ask, type HttpContext } from './http-request.ts';
import { HttpSession } from './http-session.ts';
import { toSessionSummary } from './http-views.ts';

export interface HttpConnectOptions {
  /** Of the server, such as `http://127.0.0.1:4670`. */
  baseUrl: string;
  /** A key of the API, or a token of its identity provider. */
  apiKey?: string;
  /** Default: the global one. */
  fetch?: typeof fetch;
}

/** As over Temporal, by the HTTP API. */
export class HttpDurascope implements Durascope {
  readonly #context: HttpContext;

  constructor(options: HttpConnectOptions) {
    checkKnown('connect', options, ['baseUrl', 'apiKey', 'fetch'] satisfies (keyof HttpConnectOptions)[]);
    const { baseUrl, apiKey, fetch = globalThis.fetch } = options;
    if (!URL.canParse(baseUrl))
      throw new DurascopeError(
        'invalid_input',
        `baseUrl is "${baseUrl}": write an address such as http://127.0.0.1:4670`,
      );
    this.#context = { baseUrl: baseUrl.replace(/\/+$/, ''), apiKey, fetch };
  }

  session({ owner, id, agent }: SessionAddress): Session {
    checkId('owner', owner);
    checkId('id', id);
    if (agent !== undefined) checkId('agent', agent);
    return new HttpSession(this.#context, { owner, sessionId: id }, agent);
  }

  async sessions(owner: string, filter: SessionFilter = {}): Promise<Page<SessionSummary>> {
    const { items, ...rest } = await ask<z.output<typeof api.SessionPage>>(this.#context, {
      path: '/v1/sessions',
      owner,
      query: { ...filter },
    });
    return { ...rest, items: items.map(toSessionSummary) };
  }

  gates(owner: string, page: PageRequest & { state?: GateState } = {}): Promise<Page<PendingCall>> {
    return ask(this.#context, { path: '/v1/gates', owner, query: { ...page } });
  }

  watchGates(
    owner: string,
    { signal }: Pick<EventOptions, 'signal'> = {},
  ): AsyncGenerator<Page<PendingCall>, void, void> {
    return httpStream(this.#context, { path: '/v1/gates/events', owner }, signal);
  }

  async sessionOfCall(owner: string, callId: string): Promise<Session> {
    const { sessionId } = await ask<z.output<typeof api.CallAddress>>(this.#context, {
      path: `/v1/calls/${encodeURIComponent(callId)}`,
      owner,
    });
    return this.session({ owner, id: sessionId });
  }

  async usage(owner: string, { from, to }: { from: string; to: string }): Promise<DayUsage[]> {
    const { items } = await ask<{ items: DayUsage[] }>(this.#context, {
      path: '/v1/usage',
      owner,
      query: { from, to },
    });
    return items;
  }

  /** @throws DurascopeError `forbidden` without the scope `admin`. */
  load(): Promise<ServiceLoad> {
    return ask(this.#context, { path: '/v1/load' });
  }

  async health(): Promise<Health> {
    const { baseUrl, fetch } = this.#context;
    try {
      const response = await fetch(`${baseUrl}/v1/health`);
      return ((await response.json()) as z.output<typeof api.HealthView>).dependencies;
    } catch (error) {
      const reason = `no server answers at ${baseUrl}: ${String(error)}`;
      return { store: reason, temporal: reason };
    }
  }

  async close(): Promise<void> {}
}
