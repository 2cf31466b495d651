import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { GateAnswer } from '../contracts/activities.ts';
import { parseTurnId, type SessionRef } from '../contracts/ids.ts';
import type { Confirmation, ExternalResult, Reconciliation } from '../contracts/inputs.ts';
import { toActor } from '../core/approval.ts';
import type { PermissionMode, PermissionRule } from '../core/permission.ts';
import type { SessionView, Submitted } from '../schema/api-answers.ts';
import type { AgentEvent } from '../schema/event.ts';
import type { Msg } from '../schema/message.ts';
import type { AuditEntry } from '../store/call-store.ts';
import type { MessageOrder, Page, PageRequest, SessionPermissions, TurnRecord } from '../store/store.ts';
import type { TeamView } from '../team/team-view.ts';
import type { SchemaOutput, ToolSchema } from '../tools/tool-schema.ts';
import { checkAnswers, checkPermissionChange, checkSubmitOptions, checkTurnNumber } from './check-options.ts';
import type {
  AnswerOptions,
  EventOptions,
  Input,
  Session,
  SessionDetails,
  SubmitOptions,
  Turn,
} from './client.ts';
import { compileOutput } from './compile-output.ts';
import { DurascopeError } from './durascope-error.ts';
import { httpEvents } from './http-events.ts';
import { ask, find, type HttpCall, type HttpContext } from './http-request.ts';
import { HttpTurn } from './http-turn.ts';
import { toSessionDetails } from './http-views.ts';

const answerPaths: Record<GateAnswer['kind'], string> = {
  confirm: 'confirmations',
  external: 'external-results',
  reconcile: 'reconciliations',
};

export class HttpSession implements Session {
  readonly #context: HttpContext;
  readonly #ref: SessionRef;
  readonly #agent: string | undefined;

  constructor(context: HttpContext, ref: SessionRef, agent: string | undefined) {
    this.#context = context;
    this.#ref = ref;
    this.#agent = agent;
  }

  get owner(): string {
    return this.#ref.owner;
  }
  get id(): string {
    return this.#ref.sessionId;
  }

  async open({ metadata }: { metadata?: Record<string, string> } = {}): Promise<SessionDetails> {
    if (this.#agent !== undefined)
      await this.#ask({
        method: 'POST',
        path: '/v1/sessions',
        body: { agent: this.#agent, sessionId: this.id, ...(metadata ? { metadata } : {}) },
        headers: { 'idempotency-key': randomUUID() },
      });
    const session = await this.get();
    if (session) return session;
    throw new DurascopeError(
      'not_found',
      `There is no session ${this.id} of ${this.owner}: name an agent to begin it`,
    );
  }

  async submit<S extends ToolSchema = ToolSchema>(
    input: Input,
    options: SubmitOptions<S> = {},
  ): Promise<Turn<SchemaOutput<S>>> {
    checkSubmitOptions(options);
    const { idempotencyKey = randomUUID(), ifBusy, actor, output } = options;
    await options.mayBegin?.();
    const wanted = output && compileOutput(output);
    const submitted = await this.#ask<z.output<typeof Submitted>>({
      method: 'POST',
      path: `${this.#path}/turns`,
      headers: { 'idempotency-key': idempotencyKey },
      body: {
        input,
        ...(this.#agent === undefined ? {} : { agent: this.#agent }),
        ...(ifBusy === undefined ? {} : { ifBusy }),
        ...actorField(actor),
        ...(wanted ? { output: wanted.parameters } : {}),
      },
    });
    return this.#turnOf(submitted, wanted ? { checkOutput: (written) => wanted.check(written) } : {});
  }

  async confirm(results: Confirmation[], options?: AnswerOptions): Promise<void> {
    await this.#answer('confirm', results, options);
  }

  async submitExternalResults(results: ExternalResult[], options?: AnswerOptions): Promise<void> {
    await this.#answer('external', results, options);
  }

  async reconcile(results: Reconciliation[], options?: AnswerOptions): Promise<void> {
    await this.#answer('reconcile', results, options);
  }

  async steer(
    input: Input,
    options: Pick<SubmitOptions, 'idempotencyKey' | 'actor' | 'mayBegin'> = {},
  ): Promise<Turn> {
    const { idempotencyKey = randomUUID(), actor } = options;
    await options.mayBegin?.();
    const submitted = await this.#ask<z.output<typeof Submitted>>({
      method: 'POST',
      path: `${this.#path}/steer`,
      headers: { 'idempotency-key': idempotencyKey },
      body: {
        input,
        ...(this.#agent === undefined ? {} : { agent: this.#agent }),
        ...actorField(actor),
      },
    });
    return this.#turnOf(submitted, {});
  }

  async interrupt(reason?: string): Promise<void> {
    // Without a session nothing runs: there is nothing to stop.
    await find(this.#context, {
      method: 'POST',
      path: `${this.#path}/interrupt`,
      owner: this.owner,
      body: reason === undefined ? {} : { reason },
    });
  }

  async cancelTask(taskId: string, reason?: string): Promise<void> {
    await this.#ask({
      method: 'POST',
      path: `${this.#path}/tasks/${encodeURIComponent(taskId)}/cancel`,
      body: reason === undefined ? {} : { reason },
    });
  }

  async get(): Promise<SessionDetails | undefined> {
    const view = await find<z.output<typeof SessionView>>(this.#context, {
      path: this.#path,
      owner: this.owner,
    });
    return view && toSessionDetails(view);
  }

  async exists(): Promise<boolean> {
    return (await this.get()) !== undefined;
  }

  async team(): Promise<TeamView | undefined> {
    return (await this.get())?.team;
  }

  async setPermissions(change: {
    mode?: PermissionMode;
    addRules?: PermissionRule[];
    rules?: PermissionRule[];
  }): Promise<SessionPermissions> {
    checkPermissionChange(change);
    return this.#ask({ method: 'POST', path: `${this.#path}/permissions`, body: change });
  }

  audit(page: PageRequest & { callId?: string } = {}): Promise<Page<AuditEntry>> {
    return this.#ask({ path: `${this.#path}/audit`, query: { ...page } });
  }

  turn(turn: number): Turn {
    checkTurnNumber(turn);
    return new HttpTurn(this.#context, this.#ref, turn, {});
  }

  turns(page: PageRequest = {}): Promise<Page<TurnRecord>> {
    return this.#ask({ path: `${this.#path}/turns`, query: { ...page } });
  }

  messages(page: PageRequest & { order?: MessageOrder } = {}): Promise<Page<Msg>> {
    return this.#ask({ path: `${this.#path}/messages`, query: { ...page } });
  }

  events(options: EventOptions = {}): AsyncIterable<AgentEvent> {
    return httpEvents(this.#context, { path: `${this.#path}/events`, owner: this.owner }, options);
  }

  async erase({ force = false }: { force?: boolean } = {}): Promise<void> {
    await this.#ask({ method: 'DELETE', path: this.#path, query: { force: String(force) } });
  }

  get #path(): string {
    return `/v1/sessions/${encodeURIComponent(this.id)}`;
  }

  #ask<T>(call: HttpCall): Promise<T> {
    return ask<T>(this.#context, { ...call, owner: this.owner });
  }

  async #answer(
    kind: GateAnswer['kind'],
    results: readonly { callId: string }[],
    { idempotencyKey = randomUUID(), actor }: AnswerOptions = {},
  ): Promise<void> {
    checkAnswers(kind, results, actor);
    await this.#ask({
      method: 'POST',
      path: `${this.#path}/${answerPaths[kind]}`,
      headers: { 'idempotency-key': idempotencyKey },
      body: { results, ...actorField(actor) },
    });
  }

  #turnOf<Output>(
    { turnId, status, after }: z.output<typeof Submitted>,
    known: ConstructorParameters<typeof HttpTurn>[3],
  ): Turn<Output> {
    const turn = parseTurnId(turnId)?.turn ?? 0;
    return new HttpTurn<Output>(this.#context, this.#ref, turn, { ...known, status, after });
  }
}

function actorField(actor: AnswerOptions['actor']): object {
  if (actor === undefined) return {};
  return { actor: toActor(actor) };
}
