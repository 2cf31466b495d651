import { Context } from '@temporalio/activity';
import type { Agent } from '../agents/agent.ts';
import type { CallModelInput, ModelDigest } from '../contracts/activities.ts';
import { isMessage } from '../contracts/inputs.ts';
import { steerMessageId } from '../core/message-ids.ts';
import type { Reply } from '../core/next-action.ts';
import { callsOf } from '../core/pair-results.ts';
import { isOutput } from '../core/output-tool.ts';
import { noUsage } from '../core/usage.ts';
import { ModelError } from '../model/model-error.ts';
import type { EventBody } from '../schema/event.ts';
import type { Msg } from '../schema/message.ts';
import type { CallDraft, CallRecord } from '../store/call-store.ts';
import type { SessionRecord } from '../store/store.ts';
import { assembleContext, type AssembledContext } from './assemble-context.ts';
import { hasBackground } from './background-source.ts';
import type { ActivityDeps } from './deps.ts';
import { equip, type EquippedAgent } from './equip.ts';
import { policyOf } from './policy.ts';
import { notTurns } from './inbox-messages.ts';
import { judgeCalls } from './judge-calls.ts';
import { stopFailure, whileBeating } from './liveness.ts';
import { wakeLostMembers } from './lost-members.ts';
import { noticeLostTasks } from './lost-tasks.ts';
import { ModelCall } from './model-call.ts';
import { outlastStore } from './outlast-store.ts';
import { putNotices } from './put-notices.ts';
import { readInputOrHint } from './read-input.ts';
import { toFailure } from './to-failure.ts';
import { toTurnCall } from './turn-call.ts';
import { remindOfOutput, withOutputTool } from './wanted-output.ts';

const previewLength = 200;
/** How often the context is cut further, because the endpoint counts more tokens than was estimated. */
const maxOverflows = 3;

/** One model call: read the context, call, commit. A step that is committed already is answered from the store. */
export async function callModel(deps: ActivityDeps, input: CallModelInput): Promise<ModelDigest> {
  const { attempt } = Context.current().info;
  let maxAttempts = 1;
  try {
    const definition = deps.agents.get(input.agent);
    maxAttempts = definition.maxModelAttempts;
    const equipped = await whileBeating(
      () => ({ step: input.step, equips: true }),
      () => equip(deps, definition, input.ref),
    );
    if (hasBackground(definition)) await noticeLostTasks(deps, input.ref, input.step === 1);
    if (definition.team) await wakeLostMembers(deps.store, input.ref, input.step === 1);
    const agent = await withOutputTool(deps.store, equipped, input);
    const committed = await deps.store.calls.step(input.ref, input.turn, input.step);
    const { message, calls } = committed ?? (await callAndCommit(deps, input, agent, attempt));
    return await digest(agent, message, calls);
  } catch (error) {
    if (Context.current().cancellationSignal.aborted) throw stopFailure();
    const failed = toFailure(error, attempt, maxAttempts);
    if (error instanceof ModelError && error.isRetryable && attempt < maxAttempts)
      await reportRetry(deps, input, error, attempt);
    throw failed;
  }
}

async function callAndCommit(
  deps: ActivityDeps,
  input: CallModelInput,
  agent: EquippedAgent,
  attempt: number,
) {
  const { store } = deps;
  await takeInSteers(deps, input);
  await remindOfOutput(store, input);
  const opened = await store.sessions.open(input.ref, input.agent);
  const hasNews = await putNotices(deps, input, opened, agent);
  const session = hasNews ? await store.sessions.open(input.ref, input.agent) : opened;
  const { context, outcome } = await callWithFallbacks(deps, input, agent, session, attempt);
  const policy = await policyOf(deps, agent, session);
  const judgement = { agent, session, policy, rawOf: outcome.rawOf };
  const drafts = await judgeCalls(judgement, outcome.message, callsOf(outcome.message as Msg));
  const commit = {
    ref: input.ref,
    message: outcome.message,
    calls: drafts,
    kept: outcome.kept,
    events: [...outcome.events, ...remarks(context, drafts)],
    ...(context.contextFrom > session.contextFrom ? { contextFrom: context.contextFrom } : {}),
  };
  const committed = await outlastStore(Context.current().cancellationSignal, () =>
    store.calls.commitStep(commit),
  );
  if (outcome.isInterrupted) throw stopFailure();
  return committed;
}

/**
 * Calls the model; with less context when it says that this was too much, and without the session's past when it rejects the request right
 * after it rejected another turn's: then what is malformed lies further back, and the session must not be lost to it.
 */
async function callWithFallbacks(
  deps: ActivityDeps,
  input: CallModelInput,
  agent: EquippedAgent,
  session: SessionRecord,
  attempt: number,
) {
  const model = deps.models.resolve(agent.model);
  const limits = { contextTokens: agent.contextTokens ?? model.capabilities.contextTokens, isFresh: false };
  for (let overflows = 0; ;) {
    const context = await assembleContext(deps, input, agent, session, limits);
    const call = new ModelCall(deps, input, agent, session, attempt);
    try {
      const outcome = await whileBeating(
        () => call.progress,
        (signal) => call.run(model, context, signal),
      );
      return { context, outcome };
    } catch (error) {
      const code = error instanceof ModelError ? error.code : undefined;
      if (code === 'context_overflow' && overflows < maxOverflows) {
        overflows += 1;
        limits.contextTokens = context.tokens;
      } else if (
        code === 'invalid_request' &&
        !limits.isFresh &&
        session.excludedTurns.includes(input.turn - 1)
      ) {
        limits.isFresh = true;
      } else throw error;
    }
  }
}

/** What observers are told besides the message itself. */
function remarks(context: AssembledContext, calls: readonly CallDraft[]): EventBody[] {
  const isAllDenied = calls.length > 0 && calls.every(({ state }) => state === 'denied');
  return [
    ...(isAllDenied
      ? [{ kind: 'all_tools_denied' as const, callIds: calls.map(({ callId }) => callId) }]
      : []),
    ...(context.dropped > 0
      ? [{ kind: 'compaction' as const, fromSeq: context.contextFrom, droppedMessages: context.dropped }]
      : []),
  ];
}

async function takeInSteers(deps: ActivityDeps, { ref, turn, step, steers }: CallModelInput): Promise<void> {
  if (steers.length === 0) return;
  const fresh = await notTurns(deps.store, ref, steers);
  const messages = await Promise.all(
    fresh.map(async ({ id, input }) => ({
      id: isMessage(input) ? id : steerMessageId(turn, id),
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
    reply: replyOf(message, text, calls),
    calls: await Promise.all(calls.map((record) => toTurnCall(agent, record))),
    finishReason: message.finishReason ?? 'unknown',
    usage: message.usage ?? noUsage,
    preview: text.slice(0, previewLength),
  };
}

/** Thinking alone, or nothing at all, is no answer: the loop asks again within its limit. */
function replyOf(message: Msg, text: string, calls: readonly CallRecord[]): Reply {
  if (calls.some(isOutput)) return 'structured';
  if (callsOf(message).length > 0) return 'calls';
  return text.trim() !== '' || message.content.some(({ type }) => type === 'data') ? 'text' : 'empty';
}

/** Observers learn of a failed attempt that another follows; a store that is away must not hide the model's error. */
async function reportRetry(
  { store }: ActivityDeps,
  { ref, turn }: CallModelInput,
  error: ModelError,
  attempt: number,
): Promise<void> {
  const { code, message } = error;
  await store.events
    .appendDurable(ref, turn, [{ kind: 'error', code, message, retryable: true, attempt }])
    .catch(() => undefined);
}
