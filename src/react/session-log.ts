import { foldMore, type Folded } from '../core/fold-events.ts';
import type { AgentEvent } from '../schema/event.ts';
import type { Msg } from '../schema/message.ts';

/** What the events of a session have come to so far. Never mutated. */
export interface SessionLog {
  folded: Folded;
  /** In the order of the transcript. */
  messages: readonly Msg[];
  /** All but what messages are made of: pieces of text, thinking, arguments and media. */
  facts: readonly AgentEvent[];
}

export const emptyLog: SessionLog = { folded: new Map(), messages: [], facts: [] };

export function addEvents(log: SessionLog, events: readonly AgentEvent[]): SessionLog {
  const folded = foldMore(log.folded, events);
  return {
    folded,
    messages: [...folded.values()].toSorted((a, b) => a.seq - b.seq),
    facts: [...log.facts, ...events.filter((event) => !isPiece(event))],
  };
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
