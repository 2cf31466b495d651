import { useEffect, useRef } from 'react';
import { auditOf } from '../api/queries.ts';
import type { AuditEntry, Gate } from '../api/types.ts';
import { tell } from '../parts/notices.tsx';
import { answeredHere } from './answer-gate.ts';

/** Says what came to wait, and what others have answered. */
export function GateNews({ gates }: { gates: readonly Gate[] | undefined }) {
  const known = useRef<ReadonlyMap<string, Gate>>(undefined);
  useEffect(() => {
    if (!gates) return;
    const before = known.current;
    const now = new Map(gates.map((gate) => [gate.callId, gate]));
    known.current = now;
    // What waited when the page was opened is on the page.
    if (!before) return;
    const fresh = gates.filter(({ callId }) => !before.has(callId));
    if (fresh.length > 0) tell(arrivals(fresh));
    for (const gate of before.values())
      if (!now.has(gate.callId) && !answeredHere.has(gate.callId)) void tellAnswer(gate);
  }, [gates]);
  return null;
}

function arrivals(gates: readonly Gate[]): string {
  const [first] = gates;
  if (gates.length > 1 || !first) return `${gates.length} new calls wait`;
  const wants = first.question ? 'asks a question' : 'waits';
  return `New: ${first.name} ${wants} in session ${first.sessionId}`;
}

async function tellAnswer(gate: Gate): Promise<void> {
  const entries = await auditOf(gate.sessionId, gate.callId).catch(() => []);
  tell(`${gate.name} in session ${gate.sessionId} ${answerOf(entries)}`);
}

function answerOf(entries: readonly AuditEntry[]): string {
  const last = entries.findLast(({ by }) => by === 'person') ?? entries.at(-1);
  const by = last?.actor === undefined ? '' : ` by ${last.actor}`;
  if (last?.behavior === 'allow') return `was approved${by}`;
  if (last?.behavior === 'deny') return `was denied${by}`;
  return 'waits no more';
}
