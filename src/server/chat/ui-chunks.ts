import { gateIdOf } from '../../core/asked-in-call.ts';
import type { AgentEvent } from '../../schema/event.ts';
import type { FinishReason, Json, ToolResultBlock } from '../../schema/message.ts';
import { isNewsOfBelow, jsonOr, resultOf, textOfResult } from './conversation.ts';

/** A chunk of the AI SDK's UI message stream, version 1 (ai-sdk.dev/docs/ai-sdk-ui/stream-protocol). */
export type UiChunk = { type: string } & Record<string, Json | undefined>;

/** Turns the events of one turn into chunks, in order. One instance for each answer: it knows which step is open. */
export class UiChunks {
  #isInStep = false;
  /** Calls that have their result: it may come before the answer that settled them. */
  readonly #settled = new Set<string>();
  /** Arguments of calls that are being written. */
  readonly #calls = new Map<string, { name: string; arguments: string }>();

  /** The beginning of each answer. The id is the same for all answers of a turn, so that they make one message. */
  start(turnId: string): UiChunk[] {
    return [{ type: 'start', messageId: turnId }];
  }

  push(event: AgentEvent): UiChunk[] {
    if (event.path !== undefined) return below(event);
    switch (event.kind) {
      case 'model_call_start':
        // What was streamed of an attempt that failed does not count.
        if (event.attempt > 1 && this.#isInStep) return [{ type: 'reset-step' }];
        return [...this.#closeStep(), ...this.#openStep()];
      case 'text_start':
      case 'text_end':
        return [{ type: event.kind === 'text_start' ? 'text-start' : 'text-end', id: blockId(event) }];
      case 'text_delta':
        return [{ type: 'text-delta', id: blockId(event), delta: event.delta }];
      case 'thinking_start':
      case 'thinking_end':
        return [
          { type: event.kind === 'thinking_start' ? 'reasoning-start' : 'reasoning-end', id: blockId(event) },
        ];
      case 'thinking_delta':
        return [{ type: 'reasoning-delta', id: blockId(event), delta: event.delta }];
      case 'tool_call_start': {
        const { callId, name } = event;
        this.#calls.set(callId, { name, arguments: '' });
        return [{ type: 'tool-input-start', toolCallId: callId, toolName: name, dynamic: true }];
      }
      case 'tool_call_delta': {
        const call = this.#calls.get(event.callId);
        if (call) call.arguments += event.delta;
        return [{ type: 'tool-input-delta', toolCallId: event.callId, inputTextDelta: event.delta }];
      }
      case 'tool_call_end':
        return this.#called(event);
      case 'tool_result_delta':
        return event.progress
          ? [{ type: 'data-progress', id: event.callId, data: event.progress as Json, transient: true }]
          : [];
      case 'tool_result_end':
        this.#settled.add(event.callId);
        return result(event.callId, resultOf(event.message));
      case 'require_user_confirm':
        return event.calls.map(({ callId, reason, question }) => ({
          type: 'tool-approval-request',
          approvalId: gateIdOf(callId, question?.id),
          toolCallId: callId,
          ...(reason === undefined ? {} : { reason }),
        }));
      case 'gate_answered':
        if (this.#settled.has(event.callId) || (event.answer !== 'allow' && event.answer !== 'deny'))
          return [];
        return [
          {
            type: 'tool-approval-response',
            approvalId: gateIdOf(event.callId, event.questionId),
            approved: event.answer === 'allow',
            ...(event.reason === undefined ? {} : { reason: event.reason }),
          },
        ];
      case 'interrupted':
        return [...this.#closeStep(), { type: 'abort', reason: event.reason }];
      case 'run_end':
        return [...this.#closeStep(), finish(event.reason)];
      case 'turn_end':
        return event.error ? [{ type: 'error', errorText: event.error.message }] : [];
      default:
        return [];
    }
  }

  #called({ callId, executed }: Extract<AgentEvent, { kind: 'tool_call_end' }>): UiChunk[] {
    const call = this.#calls.get(callId);
    this.#calls.delete(callId);
    if (!call) return [];
    const input: UiChunk = {
      type: 'tool-input-available',
      toolCallId: callId,
      toolName: call.name,
      input: jsonOr(call.arguments),
      dynamic: true,
    };
    if (!executed) return [input];
    return [
      { ...input, providerExecuted: true },
      {
        type: 'tool-output-available',
        toolCallId: callId,
        output: jsonOr(executed.result),
        providerExecuted: true,
      },
    ];
  }

  #openStep(): UiChunk[] {
    this.#isInStep = true;
    return [{ type: 'start-step' }];
  }

  #closeStep(): UiChunk[] {
    if (!this.#isInStep) return [];
    this.#isInStep = false;
    return [{ type: 'finish-step' }];
  }
}

/** What happens in sessions below is no part of this message: it comes as data that a page may show. */
function below(event: AgentEvent): UiChunk[] {
  if (!isNewsOfBelow(event)) return [];
  return [{ type: 'data-below', data: event as unknown as Json, transient: true }];
}

function blockId({ messageId, blockId: id }: { messageId: string; blockId: string }): string {
  return `${messageId}/${id}`;
}

function result(callId: string, block: ToolResultBlock | undefined): UiChunk[] {
  if (!block) return [];
  const text = textOfResult(block);
  if (block.state === 'denied') return [{ type: 'tool-output-denied', toolCallId: callId }];
  if (block.state !== 'success') return [{ type: 'tool-output-error', toolCallId: callId, errorText: text }];
  return [{ type: 'tool-output-available', toolCallId: callId, output: jsonOr(text), dynamic: true }];
}

const finishReasons: Partial<Record<FinishReason, string>> = {
  permission_asking: 'tool-calls',
  tool_suspended: 'tool-calls',
  interrupted: 'interrupted',
  error: 'error',
};

function finish(reason: FinishReason): UiChunk {
  return { type: 'finish', finishReason: finishReasons[reason] ?? 'stop' };
}
