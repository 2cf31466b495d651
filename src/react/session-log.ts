import { foldMore, type Folded } from '../core/fold-events.ts';
import type { AgentEvent } from '../schema/event.ts';
import type { Msg } from '../schema/message.ts';

/** What the events of a session have come to so far. Never mutated. */
export interface SessionLog {
  folded: Folded;
  /** Messages that were read as they are kept: events that build them have nothing to add. */
  read: ReadonlySet<string>;
  /** Where those begin in the transcript: what is before is not shown. */
  fromSeq: number;
  /** In the order of the transcript. */
  messages: readonly Msg[];
  /** All but what messages are made of: pieces of text, thinking, arguments and media. */
  facts: readonly AgentEvent[];
}

export const emptyLog: SessionLog = {
  folded: new Map(),
  read: new Set(),
  fromSeq: 0,
  messages: [],
  facts: [],
};

export function addEvents(log: SessionLog, events: readonly AgentEvent[]): SessionLog {
  const folded = foldMore(
    log.folded,
    events.filter((event) => !isRead(log, event)),
  );
  return {
    ...log,
    folded,
    messages: inOrder(folded),
    facts: [...log.facts, ...events.filter((event) => !isPiece(event))],
  };
}

/** Adds messages of the transcript, as the API answers them. */
export function addMessages(log: SessionLog, messages: readonly Msg[]): SessionLog {
  const folded = new Map([...log.folded, ...messages.map((message) => [message.id, message] as const)]);
  const read = new Set([...log.read, ...messages.map(({ id }) => id)]);
  const ordered = inOrder(folded);
  return { ...log, folded, read, fromSeq: ordered[0]?.seq ?? 0, messages: ordered };
}

/** Whether a message ends whose beginning was not seen. */
export function endsUnknown({ folded }: SessionLog, events: readonly AgentEvent[]): boolean {
  return events.some(
    (event) => event.kind === 'model_call_end' && !event.path && !folded.has(event.messageId),
  );
}

function inOrder(folded: Folded): Msg[] {
  return [...folded.values()].toSorted((a, b) => a.seq - b.seq);
}

/** Whether it builds a message that was read already, or that is before those that were. */
function isRead({ read, fromSeq }: SessionLog, event: AgentEvent): boolean {
  const message = 'message' in event && typeof event.message === 'object' ? event.message : undefined;
  const id = message?.id ?? ('messageId' in event ? event.messageId : '');
  const seq = message?.seq ?? ('seq' in event ? event.seq : fromSeq);
  return read.has(id) || seq < fromSeq;
}

/** Events after which the session's gates, state, tasks or team may be others. */
export function changesSession({ kind }: AgentEvent): boolean {
  switch (kind) {
    case 'turn_start':
    case 'turn_end':
    case 'run_start':
    case 'run_end':
    case 'input':
    case 'require_user_confirm':
    case 'require_external_execution':
    case 'require_reconciliation':
    case 'gate_answered':
    case 'gate_overdue':
    case 'all_tools_denied':
    case 'interrupted':
    case 'team_message':
    case 'task_changed':
    case 'team_changed':
    case 'background_task':
      return true;
    default:
      return false;
  }
}

function isPiece(event: AgentEvent): boolean {
  switch (event.kind) {
    case 'text_start':
    case 'text_delta':
    case 'text_end':
    case 'thinking_start':
    case 'thinking_delta':
    case 'thinking_end':
    case 'data_start':
    case 'data_delta':
    case 'data_end':
    case 'tool_call_delta':
      return true;
    case 'tool_result_delta':
      return event.progress === undefined;
    default:
      return false;
  }
}
