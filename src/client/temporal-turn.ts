import { sessionWorkflowId, turnIdOf, type SessionRef } from '../contracts/ids.ts';
import { sessionQuery, type SubmitAnswer } from '../contracts/messages.ts';
import { pauseReason } from '../core/next-action.ts';
import { isOutput } from '../core/output-tool.ts';
import { noUsage } from '../core/usage.ts';
import { followEvents } from '../events/follow.ts';
import type { AgentEvent } from '../schema/event.ts';
import type { CompiledSchema } from '../tools/tool-schema.ts';
import type { TurnRecord } from '../store/store.ts';
import { callTemporal } from './call-temporal.ts';
import { isNotFound } from '../inbox/temporal-failures.ts';
import type { EventOptions, Reply, Turn, TurnDetails } from './client.ts';
import { unanswered } from './answer-in-call.ts';
import { DurascopeError } from './durascope-error.ts';
import { pausedBelow } from './paused-below.ts';
import { pendingOf } from './pending-call.ts';
import { toReply } from './to-reply.ts';
import type { ClientContext } from './temporal-client.ts';

interface Known {
  status?: SubmitAnswer['status'];
  /** An event before the turn's first. */
  after?: number;
  /** Of the form that its submitter wants the answer in. */
  checkOutput?: CompiledSchema['check'];
}

/** After these a turn may have come to a gate or to its end; a call that asks while it runs ends no run. */
const mayHaveStopped = new Set<AgentEvent['kind']>(['run_end', 'turn_end', 'require_user_confirm']);

export class TemporalTurn<Output = unknown> implements Turn<Output> {
  readonly id: string;
  readonly turn: number;
  readonly status?: SubmitAnswer['status'];
  readonly #context: ClientContext;
  readonly #ref: SessionRef;
  readonly after: number;
  readonly #checkOutput: CompiledSchema['check'] | undefined;

  constructor(context: ClientContext, ref: SessionRef, turn: number, known: Known) {
    this.#context = context;
    this.#ref = ref;
    this.turn = turn;
    this.id = turnIdOf(ref, turn);
    // What a repeat names may have happened long ago.
    this.after = known.status === 'repeated' ? 0 : (known.after ?? 0);
    this.#checkOutput = known.checkOutput;
    if (known.status !== undefined) this.status = known.status;
  }

  async *events(options: EventOptions = {}): AsyncGenerator<AgentEvent, void, void> {
    const { store, bus } = this.#context.content;
    // Whoever resumes is in the midst of the turn.
    let hasBegun = (options.after ?? 0) > 0;
    for await (const event of followEvents(store, bus, this.#ref, { after: this.after, ...options })) {
      if (event.path) {
        if (hasBegun) yield event;
        continue;
      }
      if (event.turnId !== this.id) continue;
      hasBegun = true;
      yield event;
      if (event.kind === 'turn_end') return;
    }
  }

  async get(): Promise<TurnDetails<Output> | undefined> {
    const { store } = this.#context.content;
    const record = await store.turns.get(this.#ref, this.turn);
    if (record) return this.#known(record);
    if (!(await this.#isExpected())) return undefined;
    return { turnId: this.id, turn: this.turn, state: 'queued', run: 0, usage: noUsage, pending: [] };
  }

  async result(options: { until?: 'gate' | 'end'; signal?: AbortSignal } = {}): Promise<Reply<Output>> {
    const { until = 'gate', signal } = options;
    const { store, bus } = this.#context.content;
    const after = (await store.sessions.get(this.#ref))?.lastEventId ?? 0;
    await this.#mustBe();
    const now = await this.#reached(until);
    if (now) return now;
    for await (const event of followEvents(store, bus, this.#ref, { after, ...(signal ? { signal } : {}) })) {
      const isNews = event.turnId === this.id || event.path !== undefined;
      if (!isNews || !mayHaveStopped.has(event.kind)) continue;
      const reply = await this.#reached(until);
      if (reply) return reply;
    }
    throw signal?.reason ?? new Error('the stream of events ended');
  }

  /** One that a submission named will be there; any other number may be a mistake, and would be waited for without end. */
  async #mustBe(): Promise<void> {
    if (this.status !== undefined) return;
    const session = await this.#context.content.store.sessions.get(this.#ref);
    // What steers a turn too late becomes the next one, and has no number until then.
    const isNextOfRunning = session?.state !== 'idle' && this.turn - 1 === session?.lastTurn;
    if (isNextOfRunning || (await this.#isExpected())) return;
    throw new DurascopeError(
      'not_found',
      `There is no turn ${this.id}: the newest is ${session?.lastTurn ?? 0}`,
    );
  }

  /** The session has accepted it, whether or not it has begun. */
  async #isExpected(): Promise<boolean> {
    const session = await this.#context.content.store.sessions.get(this.#ref);
    if (!session) return false;
    if (this.turn <= session.lastTurn || session.control.queue.some(({ turn }) => turn === this.turn))
      return true;
    if (!session.isClaimed) return false;
    try {
      const { nextTurn } = await callTemporal(this.#context, () =>
        this.#context.temporal.workflow.getHandle(sessionWorkflowId(this.#ref)).query(sessionQuery),
      );
      return this.turn < nextTurn;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  async #reached(until: 'gate' | 'end'): Promise<Reply<Output> | undefined> {
    const record = await this.#context.content.store.turns.get(this.#ref, this.turn);
    if (!record || (until === 'end' && record.state !== 'ended')) return undefined;
    const details = await this.#known(record);
    return details.state === 'running' ? undefined : toReply(details);
  }

  async #known(record: TurnRecord): Promise<TurnDetails<Output>> {
    const { state, usage } = record;
    if (state === 'ended') return this.#ended(record);
    const { store } = this.#context.content;
    const below = state === 'running' ? await pausedBelow(store, this.#ref, this.turn) : undefined;
    const calls = below ? [] : await store.calls.ofTurn(this.#ref, this.turn);
    const waiting = await unanswered(store, calls, () => this.#ref);
    const pending = below ?? pendingOf(waiting, this.#ref);
    // What it waited for has been answered, and goes on.
    const hasAnswers = waiting.length < calls.length && pending.length === 0;
    const isPaused = (state === 'waiting' && !hasAnswers) || below !== undefined;
    return {
      turnId: this.id,
      turn: this.turn,
      state: isPaused ? 'waiting' : state === 'waiting' ? 'running' : state,
      run: record.run,
      usage,
      pending,
      ...(isPaused ? { finishReason: pauseReason(pending) } : {}),
    };
  }

  async #ended(record: TurnRecord): Promise<TurnDetails<Output>> {
    const { store } = this.#context.content;
    const message = record.replyMessageId && (await store.messages.get(this.#ref, record.replyMessageId));
    const content = message
      ? message.content.flatMap((block) => (block.type === 'tool_result' ? block.content : block))
      : [];
    return {
      turnId: this.id,
      turn: this.turn,
      state: 'ended',
      run: record.run,
      finishReason: record.finishReason ?? 'error',
      content,
      ...(record.finishReason === 'structured_output' ? { output: await this.#output() } : {}),
      usage: record.usage,
      pending: [],
      ...(record.error ? { error: record.error } : {}),
    };
  }

  /** As its submitter's schema reads it, where the submitter waits for it; else as the model wrote it. */
  async #output(): Promise<Output> {
    const calls = await this.#context.content.store.calls.ofTurn(this.#ref, this.turn);
    const written: unknown = JSON.parse(calls.find(isOutput)?.arguments ?? 'null');
    const checked = await this.#checkOutput?.(written);
    return (checked?.ok ? checked.value : written) as Output;
  }
}
