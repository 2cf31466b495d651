import { turnIdOf, type SessionRef } from '../contracts/ids.ts';
import type { Store } from '../store/store.ts';

/** Where calls wait that were answered at this session: in it, or in one below it. */
export async function locateCalls(
  store: Store,
  ref: SessionRef,
  callIds: readonly string[],
): Promise<{ callId: string; turnId: string }[]> {
  const found = await Promise.all(callIds.map((callId) => store.calls.find(ref.owner, callId)));
  const places = await Promise.all(
    found.map(async (call) => {
      if (!call) return [];
      const { sessionId } = ref;
      const isHere =
        call.ref.sessionId === sessionId ||
        (await store.sessions.ancestors(call.ref)).some((ancestor) => ancestor.ref.sessionId === sessionId);
      return isHere ? [{ callId: call.callId, turnId: turnIdOf(call.ref, call.turn) }] : [];
    }),
  );
  return places.flat();
}
