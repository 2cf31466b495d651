import type { SessionRef } from '../contracts/ids.ts';
import type { Lineage, Store } from '../store/store.ts';
import { readMembership } from '../team/team-slot.ts';

/** Marks sessions whose turns a workflow runs itself, with no session's workflow that would take in messages. */
const slot = 'runs_without_inbox';

export async function markUnreachable(store: Pick<Store, 'slots'>, ref: SessionRef): Promise<void> {
  await store.slots.update(ref, slot, () => ({ value: true }));
}

/** False for a session that no message reaches: a subagent's, and one whose turns another workflow runs. */
export async function isReachable(
  { slots }: Pick<Store, 'slots'>,
  ref: SessionRef,
  lineage: Lineage | undefined,
): Promise<boolean> {
  if (lineage?.kind === 'subagent') return false;
  return (await slots.get(ref, slot)) !== true;
}

/** True for a worker whose team was ended: what it began before must not wake it. */
export async function isRetired(store: Store, ref: SessionRef): Promise<boolean> {
  if ((await store.sessions.get(ref))?.lineage?.kind !== 'worker') return false;
  return (await readMembership(store, ref)) === undefined;
}
