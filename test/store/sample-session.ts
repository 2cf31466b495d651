import { randomUUID } from 'node:crypto';
import type { SessionRef } from '../../src/contracts/ids.ts';
import { resultMessageId, stepMessageId } from '../../src/core/message-ids.ts';
import { noUsage } from '../../src/core/usage.ts';
import type { EventBody } from '../../src/schema/event.ts';
import type { ToolResultState } from '../../src/schema/message.ts';
import type { CallDraft, CallStore } from '../../src/store/call-store.ts';
import type { MsgDraft, Store } from '../../src/store/store.ts';

const at = '2026-01-01T00:00:00.000Z';

/** Nobody else's: suites share a database. */
export function newRef(): SessionRef {
  return { owner: `acme-${randomUUID()}`, sessionId: 'case-42' };
}

export function userMessage(id: string, text: string, turn = 1): MsgDraft {
  return { id, turn, step: 0, role: 'user', content: [{ type: 'text', id: 'b0', text }], createdAt: at };
}

/** A session with turn 1 running: its input has seq 1, and events 1 to 3 are input, turn_start, run_start. */
export async function openedTurn(store: Store, ref: SessionRef = newRef()): Promise<SessionRef> {
  await store.sessions.open(ref, 'support');
  await openTurn(store, ref, 1);
  return ref;
}

export function openTurn(store: Store, ref: SessionRef, turn: number, inputId = `input-${turn}`) {
  return store.turns.open({
    ref,
    turn,
    inputId,
    agent: 'support',
    revision: 'r1',
    message: userMessage(`${turn}/input`, `question ${turn}`, turn),
    events: [
      { kind: 'turn_start', agent: 'support', revision: 'r1' },
      { kind: 'run_start', run: 1 },
    ],
  });
}

export function closeTurn(store: Store, ref: SessionRef, turn: number) {
  return store.turns.close({
    ref,
    turn,
    finishReason: 'model_stop',
    usage: { ...noUsage, inputTokens: 10, outputTokens: 2 },
    replyMessageId: stepMessageId(turn, 1),
    danglingResult: 'The turn ended first.',
    events: [{ kind: 'turn_end', finishReason: 'model_stop', usage: noUsage }],
  });
}

export function allowedCall(callId: string, over: Partial<CallDraft> = {}): CallDraft {
  return { callId, name: 'look', arguments: '{"id":1}', state: 'allowed', ...over };
}

export function stepMessage(step: number, calls: CallDraft[], turn = 1): MsgDraft {
  return {
    id: stepMessageId(turn, step),
    turn,
    step,
    role: 'assistant',
    model: 'test/model',
    finishReason: 'tool_calls',
    usage: noUsage,
    createdAt: at,
    content: calls.map((call) => ({
      type: 'tool_call',
      id: call.callId,
      name: call.name,
      arguments: call.arguments,
    })),
  };
}

type StepInput = Parameters<CallStore['commitStep']>[0];

export function step(
  ref: SessionRef,
  number: number,
  calls: CallDraft[],
  over: Partial<StepInput> = {},
): StepInput {
  return { ref, message: stepMessage(number, calls), calls, kept: [], events: [], ...over };
}

export function result(
  callId: string,
  text: string,
  state: ToolResultState = 'success',
  stepNumber = 1,
): MsgDraft {
  return {
    id: resultMessageId(1, stepNumber, callId),
    turn: 1,
    step: stepNumber,
    role: 'tool',
    createdAt: at,
    content: [
      { type: 'tool_result', id: callId, name: 'look', state, content: [{ type: 'text', id: 'b0', text }] },
    ],
  };
}

export function modelCallStart(messageId: string, seq: number, attempt = 1): EventBody {
  return { kind: 'model_call_start', messageId, seq, step: 1, attempt, model: 'test/model', createdAt: at };
}

export function textDelta(messageId: string, delta: string): EventBody {
  return { kind: 'text_delta', messageId, blockId: 'b0', delta };
}

/** Kinds of all events in the store, in order. */
export async function kindsOf(store: Store, ref: SessionRef, after = 0): Promise<string[]> {
  return (await store.events.read(ref, after)).map((event) => event.kind);
}
