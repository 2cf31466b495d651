import { useEffect, useState } from 'react';
import { ApiError, followEvents } from '../../react/index.ts';
import type { AgentEvent, EventKind } from '../../schema/event.ts';
import { connection } from '../api/connection.ts';

/** What a timeline is made of; no pieces of messages. */
const kinds: EventKind[] = [
  'turn_start',
  'turn_end',
  'run_start',
  'run_end',
  'model_call_start',
  'model_call_end',
  'tool_call_start',
  'tool_result_start',
  'tool_result_end',
  'require_user_confirm',
  'require_external_execution',
  'require_reconciliation',
  'gate_answered',
];

interface TurnEvents {
  events: readonly AgentEvent[];
  error: ApiError | undefined;
}

const none: TurnEvents = { events: [], error: undefined };

/** The turn's own events, live until it ends. */
export function useTurnEvents(turnId: string | undefined): TurnEvents {
  const [known, setKnown] = useState(none);
  useEffect(() => {
    if (turnId === undefined) return undefined;
    const leaving = new AbortController();
    const { signal } = leaving;
    setKnown(none);
    follow(turnId, signal, (events) =>
      setKnown((now) => ({ ...now, events: [...now.events, ...events] })),
    ).catch((error: unknown) => {
      if (!signal.aborted && error instanceof ApiError) setKnown((now) => ({ ...now, error }));
    });
    return () => leaving.abort();
  }, [turnId]);
  return known;
}

async function follow(
  turnId: string,
  signal: AbortSignal,
  onEvents: (events: AgentEvent[]) => void,
): Promise<void> {
  const path = `/v1/turns/${encodeURIComponent(turnId)}/events?kinds=${kinds.join(',')}`;
  for await (const batch of followEvents(connection, path, { signal })) {
    const own = batch.filter((event) => !event.path);
    if (own.length > 0) onEvents(own);
    if (own.some(({ kind }) => kind === 'turn_end')) return;
  }
}
