import type { PendingCall } from '../../client/client.ts';
import { foldEvents } from '../../core/fold-events.ts';
import type { TaskView } from '../../core/plan.ts';
import type { AgentEvent } from '../../schema/event.ts';
import type { Json, Msg } from '../../schema/message.ts';
import { OpenBlocks } from './open-blocks.ts';
import { customEvent, type AgUiEvent } from './ag-ui-event.ts';
import type { AgUiInterrupt } from './interrupts.ts';
import {
  executedResultId,
  reasoningId,
  resultMetadata,
  toAgUiMessages,
  toContent,
  type AgUiMessage,
} from './ag-ui-messages.ts';
import { TaskState } from './task-state.ts';
import { Subagents } from './subagents.ts';
import { TokenCount } from './token-count.ts';
import { resultOf } from '../chat/conversation.ts';

export interface AgUiRunOptions {
  threadId: string;
  runId: string;
  /** The conversation when the answer begins, and below, the ids of the transcript that it holds. */
  messages: readonly AgUiMessage[];
  known: Iterable<string>;
  /** The id of a user's message: the client's own. */
  idOf: (msg: Msg) => string;
  /** The id of the newest event when the answer begins: what is no message is told of after it only. */
  since: number;
  tasks: readonly TaskView[];
  /** The client's state, of which `tasks` is ours. */
  state: Json;
  /** Ids of reasoning that the client has. */
  reasoning: Iterable<string>;
}

/** What an answer ends with: `interrupts` and `frontendCalls` of a turn that waits, `output` of one that has ended. */
export interface AgUiEnd {
  interrupts?: readonly AgUiInterrupt[];
  frontendCalls?: readonly PendingCall[];
  output?: unknown;
}

type EventOf<Kind extends AgentEvent['kind']> = Extract<AgentEvent, { kind: Kind }>;

const toldAsCustom: ReadonlySet<AgentEvent['kind']> = new Set([
  'gate_answered',
  'gate_overdue',
  'compaction',
  'team_message',
  'team_changed',
  'error',
]);

/**
 * Turns the events of one turn into those of one AG-UI run, in order. One instance for each answer. Messages that the client got with the
 * snapshot at its beginning are not streamed again; what is not whole yet is streamed from its own beginning.
 */
export class AgUiRun {
  readonly #options: AgUiRunOptions;
  readonly #known: ReadonlySet<string>;
  readonly #blocks = new OpenBlocks();
  readonly #subagents: Subagents;
  readonly #messages: Map<string, AgUiMessage>;
  readonly #reasoning: Set<string>;
  readonly #state: TaskState;
  readonly #tokens = new TokenCount();
  /** Calls that the client was told of in this answer. */
  readonly #calls = new Set<string>();
  /** Events of the message that is being streamed. */
  #stream: AgentEvent[] = [];
  /** Something of it was shown. */
  #isShown = false;
  #step: string | undefined;
  #turnEnd: EventOf<'turn_end'> | undefined;

  constructor(options: AgUiRunOptions) {
    this.#options = options;
    this.#known = new Set(options.known);
    this.#subagents = new Subagents(options.since);
    this.#messages = new Map(options.messages.map((message) => [message.id, message]));
    this.#reasoning = new Set(options.reasoning);
    this.#state = new TaskState(options.state, options.tasks);
  }

  start(): AgUiEvent[] {
    const { threadId, runId } = this.#options;
    return [
      { type: 'RUN_STARTED', threadId, runId, protocolVersion: '1.0' },
      ...this.#state.start(),
      this.#snapshot(),
    ];
  }

  get hasEnded(): boolean {
    return this.#turnEnd !== undefined;
  }

  push(event: AgentEvent): AgUiEvent[] {
    const isNew = event.id > this.#options.since;
    if (this.#isKnown(event)) return [];
    if (event.path === undefined || isNew) this.#tokens.count(event);
    if (event.path !== undefined) return this.#subagents.push(event);
    switch (event.kind) {
      case 'input':
        return this.#input(event.message);
      case 'model_call_start':
        return this.#begin(event);
      case 'model_call_end':
        return this.#end(event);
      case 'tool_result_delta':
        return event.progress && isNew
          ? [customEvent('progress', { callId: event.callId, ...event.progress })]
          : [];
      case 'tool_result_end':
        return this.#result(event);
      case 'task_changed':
        return isNew ? this.#state.change(event) : [];
      case 'turn_end':
        this.#turnEnd = event;
        return [];
      default:
        if (toldAsCustom.has(event.kind)) return isNew ? [customEvent(event.kind, event)] : [];
        return this.#streamed(event);
    }
  }

  /** After the last event: closes what is open, and says how it ended. */
  finish({ interrupts = [], frontendCalls = [], output }: AgUiEnd): AgUiEvent[] {
    const { threadId, runId } = this.#options;
    const events = [
      ...this.#dropPartial(),
      ...frontendCalls.flatMap((call) => this.#tellAgain(call)),
      ...this.#closeStep(),
      ...this.#subagents.close(interrupts),
    ];
    const { finishReason, error } = this.#turnEnd ?? {};
    if (finishReason === 'error')
      return [...events, this.#error(error?.code ?? 'error', error?.message ?? 'The turn failed')];
    const finished = { type: 'RUN_FINISHED', threadId, runId, ...this.#tokens.field() };
    if (finishReason === 'interrupted' || finishReason === 'budget_exceeded')
      return [...events, { ...finished, outcome: { type: 'cancelled' } }];
    if (interrupts.length > 0)
      return [...events, { ...finished, outcome: { type: 'interrupt', interrupts } as unknown as Json }];
    const pendingToolCallIds = frontendCalls.map(({ callId }) => callId);
    return [
      ...events,
      {
        ...finished,
        ...(finishReason === undefined
          ? {}
          : { result: { finishReason, ...(output === undefined ? {} : { output: output as Json }) } }),
        outcome: { type: 'success', ...(pendingToolCallIds.length > 0 ? { pendingToolCallIds } : {}) },
      },
    ];
  }

  /** The answer breaks off; the turn does not. */
  fail(code: string, message: string): AgUiEvent[] {
    return [
      ...this.#blocks.closeAll(),
      ...this.#closeStep(),
      ...this.#subagents.close([]),
      this.#error(code, message),
    ];
  }

  #isKnown(event: AgentEvent): boolean {
    if (event.path !== undefined) return false;
    if (event.kind === 'input') return this.#known.has(event.message.id);
    return 'messageId' in event && this.#known.has(event.messageId);
  }

  /** One that came from elsewhere, or that the client knows: a snapshot is right for both. */
  #input(message: Msg): AgUiEvent[] {
    const said = toAgUiMessages([message], this.#options.idOf);
    const isNews = said.some(({ id }) => !this.#messages.has(id));
    this.#keep(said);
    return isNews ? [this.#snapshot()] : [];
  }

  #begin(event: EventOf<'model_call_start'>): AgUiEvent[] {
    // What was streamed of an attempt that failed does not count.
    const dropped = this.#dropPartial();
    this.#stream = [event];
    const name = `step ${event.step}`;
    if (this.#step === name) return dropped;
    const closed = this.#closeStep();
    this.#step = name;
    return [...dropped, ...closed, { type: 'STEP_STARTED', stepName: name }];
  }

  #streamed(event: AgentEvent): AgUiEvent[] {
    if (this.#stream.length === 0) return [];
    this.#stream.push(event);
    const events = this.#toBlocks(event);
    if (events.length > 0) this.#isShown = true;
    return events;
  }

  #toBlocks(event: AgentEvent): AgUiEvent[] {
    switch (event.kind) {
      case 'text_delta':
        return event.delta === '' ? [] : this.#blocks.text(event.messageId, event.blockId, event.delta);
      case 'text_end':
        return this.#blocks.closeText(event.messageId, event.blockId);
      case 'thinking_delta': {
        const id = reasoningId(event.messageId, event.blockId);
        this.#reasoning.add(id);
        return event.delta === '' ? [] : this.#blocks.reasoning(id, event.delta);
      }
      case 'thinking_end':
        return this.#blocks.closeReasoning(reasoningId(event.messageId, event.blockId));
      case 'tool_call_start':
        this.#calls.add(event.callId);
        return this.#blocks.openCall(event.callId, event.name, event.messageId);
      case 'tool_call_delta':
        return this.#blocks.arguments(event.callId, event.delta);
      case 'tool_call_end': {
        const closed = this.#blocks.closeCall(event.callId);
        if (!event.executed || closed.length === 0) return closed;
        return [...closed, toolResult(executedResultId(event.callId), event.callId, event.executed.result)];
      }
      default:
        return [];
    }
  }

  #end(event: EventOf<'model_call_end'>): AgUiEvent[] {
    if (this.#stream.length === 0) return [];
    const message = foldEvents([...this.#stream, event]).find(({ id }) => id === event.messageId);
    this.#stream = [];
    this.#isShown = false;
    const media = message?.content.filter((block) => block.type === 'data') ?? [];
    if (message) this.#keep(toAgUiMessages([message], this.#options.idOf));
    return [
      ...this.#blocks.closeAll(),
      ...media.map((block) => customEvent('data', { messageId: event.messageId, ...block })),
    ];
  }

  #result({ callId, message }: EventOf<'tool_result_end'>): AgUiEvent[] {
    const result = resultOf(message);
    if (!result || this.#messages.has(message.id)) return [];
    this.#keep(toAgUiMessages([message], this.#options.idOf));
    const { content, state } = result;
    return [{ ...toolResult(message.id, callId, toContent(content)), ...resultMetadata(state) }];
  }

  #keep(messages: readonly AgUiMessage[]): void {
    for (const message of messages) this.#messages.set(message.id, message);
  }

  /** Takes back what was shown of a message that did not come to its end. */
  #dropPartial(): AgUiEvent[] {
    const closed = this.#blocks.closeAll();
    const wasShown = this.#isShown;
    this.#stream = [];
    this.#isShown = false;
    return wasShown ? [...closed, this.#snapshot()] : closed;
  }

  /**
   * All that counts. A client keeps reasoning of its own where a snapshot has none, so what it must forget is replaced by an empty one.
   */
  #snapshot(): AgUiEvent {
    const messages = [...this.#messages.values()];
    const stale = [...this.#reasoning].filter((id) => !this.#messages.has(id)).at(-1);
    if (stale !== undefined && !messages.some(({ role }) => role === 'reasoning'))
      messages.push({ id: stale, role: 'reasoning', content: '' });
    return { type: 'MESSAGES_SNAPSHOT', messages: messages as unknown as Json };
  }

  /** A call of the page's tools that an earlier answer streamed: a run names as pending what it began itself. */
  #tellAgain({ callId, name }: PendingCall): AgUiEvent[] {
    if (this.#calls.has(callId)) return [];
    const parent = [...this.#messages.values()].find(({ toolCalls }) =>
      toolCalls?.some(({ id }) => id === callId),
    );
    return [...this.#blocks.openCall(callId, name, parent?.id ?? callId), ...this.#blocks.closeCall(callId)];
  }

  #closeStep(): AgUiEvent[] {
    if (this.#step === undefined) return [];
    const stepName = this.#step;
    this.#step = undefined;
    return [{ type: 'STEP_FINISHED', stepName }];
  }

  #error(code: string, message: string): AgUiEvent {
    return { type: 'RUN_ERROR', code, message, ...this.#tokens.field() };
  }
}

function toolResult(messageId: string, toolCallId: string, content: Json): AgUiEvent {
  return { type: 'TOOL_CALL_RESULT', messageId, toolCallId, content, role: 'tool' };
}
