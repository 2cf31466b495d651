import type { SessionRef } from '../contracts/ids.ts';
import { childSessionId, subagentName } from '../core/lineage.ts';
import { isExecutable } from '../core/next-action.ts';
import type { CallRecord } from '../store/call-store.ts';
import type { Store } from '../store/store.ts';
import type { PendingCall } from './client.ts';
import { unanswered } from './answer-in-call.ts';
import { pendingBelow, pendingOf } from './pending-call.ts';

/**
 * What a turn waits for that runs only because it waits for turns below: undefined unless all of these are at a gate, so that nothing
 * goes on without an answer.
 */
export async function pausedBelow(
  store: Store,
  ref: SessionRef,
  turn: number,
): Promise<PendingCall[] | undefined> {
  const calls = await store.calls.ofTurn(ref, turn);
  const paused = await pausedCalls(store, ref, calls);
  if (!paused) return undefined;
  const names = paused.map(subagentName);
  const open = await unanswered(store, await store.calls.openBelow(ref), (call) => call.ref);
  const below = open.filter(({ path }) => names.includes(path[0] ?? ''));
  const pending = [...pendingOf(calls, ref), ...below.map(pendingBelow)];
  return pending.length === 0 ? undefined : pending;
}

/** The calls that run, when each of them is a turn below that is at a gate. */
async function pausedCalls(
  store: Store,
  ref: SessionRef,
  calls: readonly CallRecord[],
): Promise<CallRecord[] | undefined> {
  const running = calls.filter((call) => isExecutable(call) && call.isDispatched);
  if (running.length === 0) return undefined;
  const areAtGate = await Promise.all(
    running.map(async (call) => {
      const child = { owner: ref.owner, sessionId: childSessionId(ref.sessionId, subagentName(call)) };
      const session = await store.sessions.get(child);
      if (session?.lineage?.callId !== call.callId) return false;
      if (session.state === 'waiting') return true;
      const below = await store.calls.ofTurn(child, session.lastTurn);
      return (await pausedCalls(store, child, below)) !== undefined;
    }),
  );
  return areAtGate.every(Boolean) ? running : undefined;
}
