import { randomUUID } from 'node:crypto';
import type { UpdateDefinition } from '@temporalio/client';
import type { GateAnswer } from '../contracts/activities.ts';
import { sessionWorkflowId, turnIdOf, type SessionRef } from '../contracts/ids.ts';
import type { Answered, Confirmation, ExternalResult, Reconciliation } from '../contracts/inputs.ts';
import {
  confirmUpdate,
  externalResultUpdate,
  interruptSignal,
  reconcileUpdate,
} from '../contracts/messages.ts';
import { taskViews } from '../core/plan.ts';
import { planSessionOf } from '../tasks/plan-session.ts';
import { readPlan } from '../tasks/plan-slot.ts';
import { followEvents } from '../events/follow.ts';
import type { AgentEvent } from '../schema/event.ts';
import type { Msg } from '../schema/message.ts';
import type { SchemaOutput, ToolSchema } from '../tools/tool-schema.ts';
import type { PermissionMode, PermissionRule } from '../core/permission.ts';
import type { AuditEntry } from '../store/call-store.ts';
import type {
  MessageOrder,
  Page,
  PageRequest,
  SessionPermissions,
  SessionRecord,
  TurnRecord,
} from '../store/store.ts';
import type {
  AnswerOptions,
  EventOptions,
  Input,
  Session,
  SessionDetails,
  SubmitOptions,
  Turn,
} from './client.ts';
import { cancelTask, viewTasks } from './background-tasks.ts';
import { answerInCall, asksWhileItRuns, mustNameNoQuestion, unanswered } from './answer-in-call.ts';
import { ledSeat, memberSeat } from '../team/place.ts';
import { viewTeam, type TeamView } from '../team/team-view.ts';
import { routesOf } from './answer-routes.ts';
import { DurascopeError } from './durascope-error.ts';
import { callTemporal } from './call-temporal.ts';
import { isNotFound } from '../inbox/temporal-failures.ts';
import { pendingBelow, pendingOf } from './pending-call.ts';
import { checkAnswers, checkMetadata, checkPermissionChange, checkTurnNumber } from './check-options.ts';
import { eraseSession } from './erase-session.ts';
import { sendSealed } from './seal-answers.ts';
import { mustBeOfAgent, newAgent, type SessionPlace } from './session-place.ts';
import { submitInput } from './submit-input.ts';
import type { ClientContext } from './temporal-client.ts';
import { TemporalTurn } from './temporal-turn.ts';

export class TemporalSession implements Session {
  readonly #context: ClientContext;
  readonly #ref: SessionRef;
  readonly #agent: string | undefined;

  constructor(context: ClientContext, ref: SessionRef, agent: string | undefined) {
    this.#context = context;
    this.#ref = ref;
    this.#agent = agent;
  }

  get #place(): SessionPlace {
    return { context: this.#context, ref: this.#ref, agent: this.#agent };
  }
  get owner(): string {
    return this.#ref.owner;
  }
  get id(): string {
    return this.#ref.sessionId;
  }

  async open({ metadata = {} }: { metadata?: Record<string, string> } = {}): Promise<SessionDetails> {
    checkMetadata(metadata);
    const known = await this.get();
    if (known) {
      mustBeOfAgent(this.#place, known);
      return known;
    }
    const session = await this.#begin(metadata);
    mustBeOfAgent(this.#place, session);
    return { ...session, pending: [], tasks: [], background: [] };
  }

  async submit<S extends ToolSchema = ToolSchema>(
    input: Input,
    options: SubmitOptions<S> = {},
  ): Promise<Turn<SchemaOutput<S>>> {
    return submitInput(this.#place, input, options);
  }

  async confirm(results: Confirmation[], options?: AnswerOptions): Promise<void> {
    const { store } = this.#context.content;
    await this.#route('confirm', results, options, async (session, own) => {
      const others = await session.#answerRunning(own, options);
      if (others.length === 0) return;
      await sendSealed({ store, ref: session.#ref }, others, (sent) =>
        session.#answer(confirmUpdate, sent, options),
      );
    });
  }

  async submitExternalResults(results: ExternalResult[], options?: AnswerOptions): Promise<void> {
    await this.#route('external', results, options, async (session, own) => {
      await session.#answer(externalResultUpdate, own, options);
    });
  }

  async reconcile(results: Reconciliation[], options?: AnswerOptions): Promise<void> {
    await this.#route('reconcile', results, options, async (session, own) => {
      await session.#answer(reconcileUpdate, own, options);
    });
  }

  steer(
    input: Input,
    options: Pick<SubmitOptions, 'idempotencyKey' | 'actor' | 'mayBegin'> = {},
  ): Promise<Turn> {
    return this.submit(input, { ...options, ifBusy: 'steer' });
  }

  async interrupt(reason = 'interrupted by the user'): Promise<void> {
    const running = (await this.turns({ limit: 1 })).items.find(({ state }) => state !== 'ended');
    const workflowId = running?.turnId ?? sessionWorkflowId(this.#ref);
    try {
      await callTemporal(this.#context, () =>
        this.#context.temporal.workflow
          .getHandle(workflowId)
          .signal(interruptSignal, { id: randomUUID(), reason }),
      );
    } catch (error) {
      // Nothing runs: there is nothing to stop.
      if (!isNotFound(error)) throw error;
    }
  }

  async cancelTask(taskId: string, reason = 'cancelled by the user'): Promise<void> {
    await cancelTask(this.#context, this.#ref, taskId, reason);
  }

  async get(): Promise<SessionDetails | undefined> {
    const { store } = this.#context.content;
    const session = await store.sessions.get(this.#ref);
    if (!session) return undefined;
    const calls = session.state === 'idle' ? [] : await store.calls.ofTurn(this.#ref, session.lastTurn);
    const own = pendingOf(await unanswered(store, calls, () => this.#ref), this.#ref).map((pending) => ({
      pending,
      ref: this.#ref,
      turn: pending.turn,
    }));
    const open = await unanswered(store, await store.calls.openBelow(this.#ref), ({ ref }) => ref);
    const below = open.map((call) => ({
      pending: pendingBelow(call),
      ref: call.ref,
      turn: call.turn,
    }));
    const answerable = await this.#context.openTurns.answerable([...own, ...below]);
    const team = await this.team();
    const plan = await readPlan(store, await planSessionOf(store, this.#ref));
    const queued = session.control.queue.filter(({ turn }) => turn > session.lastTurn).length;
    return {
      ...session,
      ...(queued === 0 ? {} : { queued }),
      pending: answerable.map(({ pending }) => pending),
      tasks: taskViews(plan),
      background: await viewTasks(this.#context, this.#ref),
      ...(team ? { team } : {}),
    };
  }

  async setPermissions(change: {
    mode?: PermissionMode;
    addRules?: PermissionRule[];
    rules?: PermissionRule[];
  }): Promise<SessionPermissions> {
    checkPermissionChange(change);
    const own = (rules: PermissionRule[]) => rules.map((rule) => ({ ...rule, source: 'session' as const }));
    return this.#context.content.store.sessions.changePermissions(this.#ref, {
      ...change,
      ...(change.rules ? { rules: own(change.rules) } : {}),
      ...(change.addRules ? { addRules: own(change.addRules) } : {}),
    });
  }

  audit(page: PageRequest & { callId?: string } = {}): Promise<Page<AuditEntry>> {
    return this.#context.content.store.audit.list(this.#ref, page);
  }

  turn(turn: number): Turn {
    checkTurnNumber(turn);
    return new TemporalTurn(this.#context, this.#ref, turn, {});
  }

  turns(page: PageRequest = {}): Promise<Page<TurnRecord>> {
    return this.#context.content.store.turns.list(this.#ref, page);
  }

  messages(page: PageRequest & { order?: MessageOrder } = {}): Promise<Page<Msg>> {
    return this.#context.content.store.messages.list(this.#ref, page);
  }

  events(options: EventOptions = {}): AsyncIterable<AgentEvent> {
    const { store, bus } = this.#context.content;
    return followEvents(store, bus, this.#ref, options);
  }

  async erase({ force = false }: { force?: boolean } = {}): Promise<void> {
    await eraseSession(this.#context, this.#ref, force);
  }

  /** What was submitted to is there: whoever is told of it may look at once. */
  #begin(metadata: Record<string, string>): Promise<SessionRecord> {
    return this.#context.content.store.sessions.open(this.#ref, newAgent(this.#place), undefined, metadata);
  }

  /** Answers calls where they are: in this session, or in one below it. */
  async #route<T extends { callId: string }>(
    kind: GateAnswer['kind'],
    results: T[],
    options: AnswerOptions | undefined,
    answer: (session: TemporalSession, results: T[]) => Promise<void>,
  ): Promise<void> {
    checkAnswers(kind, results, options?.actor);
    for (const route of await routesOf(this.#context.content.store, this.#ref, results))
      await answer(new TemporalSession(this.#context, route.ref, undefined), route.results);
  }

  async exists(): Promise<boolean> {
    return (await this.#context.content.store.sessions.get(this.#ref)) !== undefined;
  }

  async team(): Promise<TeamView | undefined> {
    const { temporal, content } = this.#context;
    const place = { store: content.store, ref: this.#ref };
    const seat = (await ledSeat(place)) ?? (await memberSeat(place));
    return seat && viewTeam({ temporal, store: content.store }, seat.leader, seat.team);
  }

  /** Answers calls that ask while they run, which their turn's workflow knows nothing of; returns the other results. */
  async #answerRunning(results: Confirmation[], options: AnswerOptions = {}): Promise<Confirmation[]> {
    const { store } = this.#context.content;
    const others: Confirmation[] = [];
    for (const result of results) {
      const call = await store.calls.get(this.#ref, result.callId);
      if (call && asksWhileItRuns(call)) {
        await answerInCall(store, this.#ref, call, result, options.actor);
        continue;
      }
      mustNameNoQuestion(result);
      others.push(result);
    }
    return others;
  }

  /** Answers go straight to the turn that waits: its validator knows what it waits for. */
  async #answer<T extends { callId: string }>(
    update: UpdateDefinition<string[], [Answered<T>]>,
    results: T[],
    options: AnswerOptions = {},
  ): Promise<string[]> {
    const callId = results[0]?.callId ?? '';
    const call = await this.#context.content.store.calls.get(this.#ref, callId);
    if (!call) throw new DurascopeError('not_found', `Session ${this.id} has no call ${callId}`);
    const answered: Answered<T> = {
      results,
      id: options.idempotencyKey ?? randomUUID(),
      ...(options.actor === undefined ? {} : { actor: options.actor }),
    };
    try {
      return await callTemporal(this.#context, () =>
        this.#context.temporal.workflow
          .getHandle(turnIdOf(this.#ref, call.turn))
          .executeUpdate(update, { args: [answered] }),
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
      throw new DurascopeError('conflict', `Call ${callId} can't be answered: its turn has ended`, {
        cause: error,
      });
    }
  }
}
