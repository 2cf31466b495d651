import { ApiError, messageOf, type Confirmation } from '../../react/index.ts';
import { connection } from '../api/connection.ts';
import { pathOfSession, refreshGates } from '../api/queries.ts';
import type { Gate, SessionView } from '../api/types.ts';
import { tell } from '../parts/notices.tsx';

/** Calls that this tab has answered: that they vanish is no news. */
export const answeredHere = new Set<string>();

type Kind = 'confirmations' | 'external-results' | 'reconciliations';

/** @throws ApiError when the answer is refused for what it says; one that came too late is told and done with. */
export async function answerGate(gate: Gate, kind: Kind, result: object): Promise<void> {
  answeredHere.add(gate.callId);
  const goOn = placeAfter(gate.callId);
  try {
    await connection.json(`${pathOfSession(gate.sessionId)}/${kind}`, {
      method: 'POST',
      body: { results: [{ callId: gate.callId, ...result }] },
    });
  } catch (error) {
    answeredHere.delete(gate.callId);
    if (!isRefusal(error) || (await waitsStill(gate))) throw error;
    tell(`${gate.name} takes no answer any more: ${messageOf(error)}`);
  } finally {
    await refreshGates();
  }
  goOn();
}

/** Whoever answers by keyboard goes on at the next gate, or, after the last one, at the page: the focus would vanish with what was answered. */
function placeAfter(callId: string): () => void {
  const gates = [...document.querySelectorAll<HTMLElement>('article.gate')];
  const at = gates.findIndex(({ dataset }) => dataset['call'] === callId);
  if (gates[at]?.contains(document.activeElement) !== true) return () => undefined;
  const next = gates[at + 1] ?? gates[at - 1];
  return () => (next?.isConnected ? next : document.querySelector<HTMLElement>('#main'))?.focus();
}

/** Several at once, each by itself: one that is refused holds up no other. */
export async function confirmAll(
  gates: readonly Gate[],
  result: Omit<Confirmation, 'callId'>,
): Promise<void> {
  const outcomes = await Promise.allSettled(gates.map((gate) => answerGate(gate, 'confirmations', result)));
  for (const [index, outcome] of outcomes.entries())
    if (outcome.status === 'rejected') tell(`${gates[index]?.name}: ${messageOf(outcome.reason)}`);
}

/** Too late, or not to be taken: the state of the call tells which. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'conflict' || error.code === 'not_found');
}

async function waitsStill({ sessionId, callId, state }: Gate): Promise<boolean> {
  const { pending } = await connection.json<SessionView>(pathOfSession(sessionId));
  return pending.some((call) => call.callId === callId && call.state === state);
}
