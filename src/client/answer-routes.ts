import type { SessionRef } from '../contracts/ids.ts';
import type { Store } from '../store/store.ts';
import { DurascopeError } from './durascope-error.ts';

/** The results for calls of one session. */
export interface Route<T> {
  ref: SessionRef;
  results: T[];
}

/**
 * Parts answers that are given at a session by where their calls are: in it, or in a session below it.
 *
 * @throws DurascopeError `not_found`, before anything is answered.
 */
export async function routesOf<T extends { callId: string }>(
  store: Store,
  ref: SessionRef,
  results: readonly T[],
): Promise<Route<T>[]> {
  const routes = new Map<string, Route<T>>();
  for (const result of results) {
    const at = await placeOf(store, ref, result.callId);
    const route = routes.get(at.sessionId) ?? { ref: at, results: [] };
    route.results.push(result);
    routes.set(at.sessionId, route);
  }
  return [...routes.values()];
}

async function placeOf(store: Store, ref: SessionRef, callId: string): Promise<SessionRef> {
  if (await store.calls.get(ref, callId)) return ref;
  const found = await store.calls.find(ref.owner, callId);
  const above = found ? await store.sessions.ancestors(found.ref) : [];
  if (found && above.some((ancestor) => ancestor.ref.sessionId === ref.sessionId)) return found.ref;
  throw new DurascopeError(
    'not_found',
    `Neither session ${ref.sessionId} nor one below it has a call ${callId}`,
  );
}
