import type { PendingCall, Turn } from '../../client/client.ts';
import type { AgentEvent } from '../../schema/event.ts';

/** Whether the turn has come to rest with this event: what one answer to a front end holds ends with it. */
export type Pause = (event: AgentEvent, turn: Turn) => Promise<boolean>;

/**
 * A turn's events until it waits for somebody, or ends: what one answer to a front end holds. Pauses of the past, which were answered, are
 * passed over.
 *
 * @param after the id of an event: what came after it follows.
 * @param hasPaused default: at a gate of the turn itself.
 */
export async function* untilPause(
  turn: Turn,
  after: number,
  signal: AbortSignal,
  hasPaused: Pause = atOwnGate,
): AsyncGenerator<AgentEvent, void, void> {
  for await (const event of turn.events({ after, signal })) {
    yield event;
    if (await hasPaused(event, turn)) return;
  }
}

async function atOwnGate(event: AgentEvent, turn: Turn): Promise<boolean> {
  if (event.path !== undefined || event.kind !== 'run_end') return false;
  const now = await turn.get();
  return now?.state === 'waiting' && now.run === event.run;
}

/** After these a turn may be at rest at a gate that was told of before. */
const mayRest: ReadonlySet<AgentEvent['kind']> = new Set([
  'require_user_confirm',
  'require_external_execution',
  'require_reconciliation',
  'gate_answered',
  'run_end',
  'turn_end',
  'tool_result_end',
]);

/**
 * Finds where nothing goes on without an answer: at the turn's own gates, where all that it waits for are turns below that are at theirs,
 * and where one of its calls asks while it runs.
 */
export class GateWatch {
  /** Calls that the stream has told of, and not of their answers. */
  readonly #asked = new Set<string>();
  /** What the turn waits for, once it rests. */
  pending: PendingCall[] = [];

  async hasPaused(event: AgentEvent, turn: Turn): Promise<boolean> {
    this.#note(event);
    if (this.#asked.size === 0 || !mayRest.has(event.kind)) return false;
    const now = await turn.get();
    const pending = now?.pending ?? [];
    // A gate that the stream has not come to yet is one of later. Of calls that run one by one, only the first is told of.
    const told = new Set(pending.filter(({ callId }) => this.#asked.has(callId)).map(whereOf));
    if (pending.length === 0 || !pending.every((call) => told.has(whereOf(call)))) return false;
    const isOwnQuestion = event.path === undefined && event.kind === 'require_user_confirm';
    if (now?.state !== 'waiting' && !isOwnQuestion) return false;
    this.pending = pending;
    return true;
  }

  #note(event: AgentEvent): void {
    switch (event.kind) {
      case 'require_user_confirm':
      case 'require_external_execution':
      case 'require_reconciliation':
        for (const { callId } of event.calls) this.#asked.add(callId);
        return;
      case 'gate_answered':
        if (event.answer !== 'vote') this.#asked.delete(event.callId);
        return;
      default:
    }
  }
}

function whereOf({ sessionId }: PendingCall): string {
  return sessionId;
}
