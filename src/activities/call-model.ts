import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { Agent } from '../agents/agent.ts';
import type { CallModelInput, ModelDigest } from '../contracts/activities.ts';
import { compactEvents } from '../core/compact-events.ts';
import { foldEvents } from '../core/fold-events.ts';
import { steerMessageId, stepMessageId } from '../core/message-ids.ts';
import type { Reply } from '../core/next-action.ts';
import { callsOf } from '../core/pair-results.ts';
import { StreamAccumulator } from '../core/stream-accumulator.ts';
import { noUsage } from '../core/usage.ts';
import { turnIdOf } from '../contracts/ids.ts';
import type { ModelRequest, ResolvedModel } from '../model/model.ts';
import { ModelError } from '../model/model-error.ts';
import type { EventBody } from '../schema/event.ts';
import type { Msg } from '../schema/message.ts';
import type { CallRecord, MsgDraft, SessionRecord } from '../store/store.ts';
import { assembleContext, type AssembledContext } from './assemble-context.ts';
import type { ActivityDeps } from './deps.ts';
import { EventPublisher } from './event-publisher.ts';
import { judgeCalls, toTurnCall } from './judge-calls.ts';
import { isCancelRequested, stopFailure, whileBeating } from './liveness.ts';
import { outlastStore } from './outlast-store.ts';
import { readInputOrHint } from './read-input.ts';
import { toFailure } from './to-failure.ts';

/** What the model reads when the iterations are used up. */
const summaryInstruction =
  'The limit of steps for this turn is reached, and no tool can be called any more. Answer the user now with what you have: say what was done, and what is left.';

const previewLength = 200;

/** One model call: read the context, call, commit. A step that is committed already is answered from the store. */
export async function callModel(deps: ActivityDeps, input: CallModelInput): Promise<ModelDigest> {
  const { attempt } = Context.current().info;
  let maxAttempts = 1;
  try {
    const agent = deps.agents.get(input.agent);
    maxAttempts = agent.maxModelAttempts;
    const committed = await deps.store.calls.step(input.ref, input.turn, input.step);
    const { message, calls } = committed ?? (await callAndCommit(deps, input, agent, attempt));
    return await digest(agent, message, calls);
  } catch (error) {
    if (Context.current().cancellationSignal.aborted) throw stopFailure();
    const failed = toFailure(error, attempt, maxAttempts);
    if (error instanceof ModelError) await reportError(deps, input, error, attempt, maxAttempts);
    throw failed;
  }
}

async function callAndCommit(deps: ActivityDeps, input: CallModelInput, agent: Agent, attempt: number) {
  const { store } = deps;
  await takeInSteers(deps, input);
  const session = await store.sessions.open(input.ref, input.agent);
  const model = deps.models.resolve(agent.model);
  const contextTokens = agent.contextTokens ?? model.capabilities.contextTokens;
  const context = await assembleContext(deps, input, agent, session, contextTokens);

  const call = new ModelCall(deps, input, agent, session, attempt);
  const outcome = await whileBeating(
    () => call.progress,
    (signal) => call.run(model, context, signal),
  );
  const drafts = await judgeCalls(agent, input.ref, outcome.message, callsOf(outcome.message as Msg));
  const isAllDenied = drafts.length > 0 && drafts.every(({ state }) => state === 'denied');
  const commit = {
    ref: input.ref,
    message: outcome.message,
    calls: drafts,
    kept: outcome.kept,
    events: [
      ...outcome.events,
      ...(isAllDenied
        ? [{ kind: 'all_tools_denied' as const, callIds: drafts.map(({ callId }) => callId) }]
        : []),
      ...(context.dropped > 0
        ? [{ kind: 'compaction' as const, fromSeq: context.contextFrom, droppedMessages: context.dropped }]
        : []),
    ],
    ...(context.contextFrom > session.contextFrom ? { contextFrom: context.contextFrom } : {}),
  };
  const committed = await outlastStore(Context.current().cancellationSignal, () =>
    store.calls.commitStep(commit),
  );
  if (outcome.isInterrupted) throw stopFailure();
  return committed;
}

/** One attempt at the endpoint, streamed to observers. */
class ModelCall {
  readonly #publisher: EventPublisher;
  readonly #accumulator: StreamAccumulator;
  readonly #input: CallModelInput;
  readonly #agent: Agent;
  readonly #messageId: string;
  readonly #start: EventBody;
  #chunks = 0;

  constructor(
    deps: ActivityDeps,
    input: CallModelInput,
    agent: Agent,
    session: SessionRecord,
    attempt: number,
  ) {
    this.#input = input;
    this.#agent = agent;
    this.#messageId = stepMessageId(input.turn, input.step);
    this.#publisher = new EventPublisher(deps.store.events, input.ref, input.turn, this.#messageId);
    this.#accumulator = new StreamAccumulator(this.#messageId, newCallId);
    this.#start = {
      kind: 'model_call_start',
      messageId: this.#messageId,
      seq: session.head + 1,
      step: input.step,
      attempt,
      model: agent.model,
      createdAt: new Date().toISOString(),
    };
  }

  /** What a heartbeat tells. */
  get progress() {
    return { step: this.#input.step, chunks: this.#chunks };
  }

  async run(model: ResolvedModel, context: AssembledContext, signal: AbortSignal) {
    this.#publisher.publish([this.#start]);
    let isInterrupted = false;
    try {
      for await (const chunk of model.adapter.call(this.#request(model, context), signal)) {
        this.#chunks += 1;
        this.#publisher.publish(this.#accumulator.push(chunk));
      }
    } catch (error) {
      isInterrupted = signal.aborted && isCancelRequested();
      if (!isInterrupted) {
        await this.#publisher.finish();
        throw error;
      }
    }
    const end = isInterrupted ? this.#accumulator.end('interrupted') : this.#accumulator.end();
    const { sent, unsent } = await this.#publisher.finish();
    const events = [...unsent, ...end];
    return {
      message: this.#message([...sent.map(({ body }) => body), ...events]),
      kept: compactEvents(sent),
      events,
      isInterrupted,
    };
  }

  #request(model: ResolvedModel, context: AssembledContext): ModelRequest {
    const { settings, isStreaming, timeouts } = this.#agent;
    const isSummary = this.#input.tools === 'none';
    return {
      model: model.model,
      system: isSummary ? `${context.system}\n\n${summaryInstruction}` : context.system,
      messages: context.messages,
      tools: context.tools,
      settings,
      isStreaming,
      timeouts,
    };
  }

  /** The stored message is what observers would fold from the events: there is one account of it. */
  #message(bodies: EventBody[]): MsgDraft {
    const stamp = { turnId: turnIdOf(this.#input.ref, this.#input.turn), at: '' };
    const [message] = foldEvents(bodies.map((body) => ({ ...body, ...stamp })));
    if (!message) throw new Error('a model call left no message');
    const { seq: _, ...draft } = message;
    return draft;
  }
}

/** Ids of calls are unique over all sessions: a person may answer one without naming its session. */
function newCallId(): string {
  return `call_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
}

async function takeInSteers(deps: ActivityDeps, { ref, turn, step, steers }: CallModelInput): Promise<void> {
  if (steers.length === 0) return;
  const messages = await Promise.all(
    steers.map(async ({ id, input }) => ({
      id: steerMessageId(turn, id),
      turn,
      step,
      role: 'user' as const,
      createdAt: new Date().toISOString(),
      content: await readInputOrHint(deps.store, ref, input),
    })),
  );
  await deps.store.messages.append(ref, messages);
}

async function digest(agent: Agent, message: Msg, calls: CallRecord[]): Promise<ModelDigest> {
  const text = message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  return {
    messageId: message.id,
    reply: replyOf(message, text),
    calls: await Promise.all(calls.map((record) => toTurnCall(agent, record))),
    finishReason: message.finishReason ?? 'unknown',
    usage: message.usage ?? noUsage,
    preview: text.slice(0, previewLength),
  };
}

/** Thinking alone, or nothing at all, is no answer: the loop asks again within its limit. */
function replyOf(message: Msg, text: string): Reply {
  if (callsOf(message).length > 0) return 'calls';
  return text.trim() !== '' || message.content.some(({ type }) => type === 'data') ? 'text' : 'empty';
}

/** Observers learn of a failed attempt; a store that is away must not hide the model's error. */
async function reportError(
  { store }: ActivityDeps,
  { ref, turn }: CallModelInput,
  error: ModelError,
  attempt: number,
  maxAttempts: number,
): Promise<void> {
  const retryable = error.isRetryable && attempt < maxAttempts;
  await store.events
    .appendDurable(ref, turn, [
      { kind: 'error', code: error.code, message: error.message, retryable, attempt },
    ])
    .catch(() => undefined);
}
