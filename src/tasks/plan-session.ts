import type { SessionRef } from '../contracts/ids.ts';
import type { Store } from '../store/store.ts';

/** The session that holds the plan which a session works on: its own. */
export async function planSessionOf(_: Store, ref: SessionRef): Promise<SessionRef> {
  return ref;
}
