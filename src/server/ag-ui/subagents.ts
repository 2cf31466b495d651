import { turnIdOf } from '../../contracts/ids.ts';
import type { PendingCall } from '../../client/client.ts';
import type { AgentEvent } from '../../schema/event.ts';
import { customEvent, type AgUiEvent } from './ag-ui-event.ts';
import { isNewsOfBelow } from '../chat/conversation.ts';

/** The run of a subagent is a turn of its session. */
export function subagentRunId(owner: string, { sessionId, turn, path }: PendingCall): string | undefined {
  return path && turnIdOf({ owner, sessionId }, turn);
}

type Start = AgUiEvent & { name: string };

/** Tells of the turns below: each begins and ends once in an answer. Of those that began before it, only what still runs is told. */
export class Subagents {
  readonly #since: number;
  /** Begun before this answer, and not told of yet. */
  #before = new Map<string, Start>();
  /** Told of, with the path to it. */
  readonly #active = new Map<string, string>();
  readonly #ended = new Set<string>();

  /** @param since the id of the newest event when the answer began. */
  constructor(since: number) {
    this.#since = since;
  }

  push(event: AgentEvent): AgUiEvent[] {
    const isOld = event.id <= this.#since;
    if (event.kind === 'turn_start') {
      const started = this.#started(event);
      if (isOld) this.#before.set(event.turnId, started);
      else return [...this.#tellBefore(), ...this.#begin(event.turnId, started)];
    } else if (event.kind === 'turn_end' && isOld) this.#before.delete(event.turnId);
    if (isOld) return [];
    const news = isNewsOfBelow(event) && event.kind !== 'turn_end';
    return [
      ...this.#tellBefore(),
      ...(event.kind === 'turn_end' ? this.#end(event) : []),
      ...(news ? [customEvent(event.kind, event, event.turnId)] : []),
    ];
  }

  /** What runs or waits on goes on in the next answer. */
  close(interrupts: readonly { id: string; subagentRunId?: string }[]): AgUiEvent[] {
    const events = [...this.#active.keys()].toReversed().map((id) => {
      const interruptIds = interrupts.filter((one) => one.subagentRunId === id).map((one) => one.id);
      return {
        type: 'SUBAGENT_FINISHED',
        subagentRunId: id,
        outcome: { type: 'suspended', ...(interruptIds.length > 0 ? { interruptIds } : {}) },
      };
    });
    this.#active.clear();
    return events;
  }

  #started({ turnId, path = [], agent }: Extract<AgentEvent, { kind: 'turn_start' }>): Start {
    return { type: 'SUBAGENT_STARTED', subagentRunId: turnId, name: path.join('/'), description: agent };
  }

  #tellBefore(): AgUiEvent[] {
    const before = [...this.#before];
    this.#before = new Map();
    return before.flatMap(([turnId, started]) => this.#begin(turnId, started));
  }

  #begin(turnId: string, started: Start): AgUiEvent[] {
    if (this.#active.has(turnId) || this.#ended.has(turnId)) return [];
    const path = started.name;
    const above = path.split('/').slice(0, -1).join('/');
    const parent = [...this.#active].find(([, of]) => of === above)?.[0];
    this.#active.set(turnId, path);
    return [{ ...started, ...(parent === undefined ? {} : { parentSubagentRunId: parent }) }];
  }

  #end({ turnId, finishReason, error }: Extract<AgentEvent, { kind: 'turn_end' }>): AgUiEvent[] {
    if (!this.#active.delete(turnId)) return [];
    this.#ended.add(turnId);
    if (finishReason === 'error' || finishReason === 'interrupted')
      return [
        {
          type: 'SUBAGENT_ERROR',
          subagentRunId: turnId,
          message: error?.message ?? 'It was interrupted',
          code: error?.code ?? finishReason,
        },
      ];
    return [{ type: 'SUBAGENT_FINISHED', subagentRunId: turnId, outcome: { type: 'success' } }];
  }
}
