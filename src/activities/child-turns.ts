import { ApplicationFailure, Context } from '@temporalio/activity';
import type { CloseTurnInput } from '../contracts/activities.ts';
import {
  replyTextLimit,
  type ChildTurnActivities,
  type OpenChildInput,
  type OpenedChild,
  type TurnReply,
} from '../contracts/child-turns.ts';
import { failure } from '../contracts/failures.ts';
import { parseTurnId, turnIdOf, type SessionRef } from '../contracts/ids.ts';
import { isOutput } from '../core/output-tool.ts';
import { noUsage } from '../core/usage.ts';
import { setRunner } from '../inbox/reach.ts';
import type { Json } from '../schema/message.ts';
import type { Store, TurnRecord } from '../store/store.ts';
import { answerParts, composeInput, keepOutput } from './compose-input.ts';
import type { ActivityDeps } from './deps.ts';
import { closeTurn, waitingForStore } from './sessions.ts';

/** Opens the session of a turn that a workflow runs itself, under the turn's own number: a repeat finds the turn that it began. */
export async function openChild(deps: ActivityDeps, input: OpenChildInput): Promise<OpenedChild> {
  const { store, hasSearchAttributes } = deps;
  return waitingForStore(async () => {
    const { ref, inputId } = input;
    deps.agents.get(input.agent);
    await prepareSession(store, input);
    const { lastTurn, control } = await store.sessions.claim(ref, input.agent);
    if (control.queue.length > 0)
      throw ApplicationFailure.nonRetryable(
        `Session ${ref.sessionId} has inputs that wait for its own workflow to run them: name another session`,
        failure.rejected,
      );
    await setRunner(store, ref, Context.current().info.workflowExecution?.workflowId);
    const known = await store.turns.ofInput(ref, inputId);
    return {
      turn: known?.turn ?? lastTurn + 1,
      input: await composeInput(store, input),
      ...(input.output ? { output: await keepOutput(store, ref, input.output) } : {}),
      hasSearchAttributes,
      ...(known?.state === 'ended' ? { reply: await toReply(store, ref, known) } : {}),
    };
  });
}

/** Opens the session; a mode that it has already stays. @throws ApplicationFailure `Rejected` (final) when it is another agent's. */
export async function prepareSession(store: Store, { ref, agent, permissionMode }: OpenChildInput) {
  const session = await store.sessions.open(ref, agent);
  if (session.agent !== agent)
    throw ApplicationFailure.nonRetryable(
      `Session ${ref.sessionId} belongs to the agent ${session.agent}, not to ${agent}: name ${session.agent}, or another session`,
      failure.rejected,
    );
  if (permissionMode !== undefined && session.permissions.mode === undefined)
    await store.sessions.changePermissions(ref, { mode: permissionMode });
  return session;
}

export async function closeChild(deps: ActivityDeps, input: CloseTurnInput): Promise<TurnReply> {
  await closeTurn(deps, input);
  const { ref, turn, agent, result } = input;
  return waitingForStore(async () => {
    const answered = parseTurnId(result.turnId ?? '')?.turn ?? turn;
    const record = await deps.store.turns.get(ref, answered);
    if (record) return toReply(deps.store, ref, record);
    const { sessionId } = ref;
    const turnId = turnIdOf(ref, turn);
    return {
      type: 'reply',
      agent,
      sessionId,
      turnId,
      finishReason: result.finishReason,
      usage: noUsage,
      text: '',
    };
  });
}

export async function readReply(
  { store }: Pick<ActivityDeps, 'store'>,
  { ref, turnId }: Parameters<ChildTurnActivities['readReply']>[0],
): Promise<TurnReply | undefined> {
  return waitingForStore(async () => {
    const record = await store.turns.get(ref, parseTurnId(turnId)?.turn ?? 0);
    return record?.state === 'ended' ? toReply(store, ref, record) : undefined;
  });
}

async function toReply(store: Store, ref: SessionRef, record: TurnRecord): Promise<TurnReply> {
  const { turnId, agent, finishReason = 'error', usage, replyMessageId, error } = record;
  const message = replyMessageId && (await store.messages.get(ref, replyMessageId));
  const parts = message ? answerParts(message.content) : [];
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const isPartial = text.length > replyTextLimit || parts.some(({ type }) => type !== 'text');
  return {
    type: 'reply',
    agent,
    sessionId: ref.sessionId,
    turnId,
    finishReason,
    usage,
    text: text.slice(0, replyTextLimit),
    ...(isPartial ? { isPartial } : {}),
    ...(finishReason === 'structured_output' ? await outputOf(store, ref, record.turn) : {}),
    ...(replyMessageId === undefined ? {} : { messageId: replyMessageId }),
    ...(error ? { error } : {}),
  };
}

async function outputOf(store: Store, ref: SessionRef, turn: number): Promise<Pick<TurnReply, 'output'>> {
  const written = (await store.calls.ofTurn(ref, turn)).find(isOutput)?.arguments;
  return written === undefined ? {} : { output: JSON.parse(written) as Json };
}
