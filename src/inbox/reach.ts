import type { SessionRef } from '../contracts/ids.ts';
import type { Lineage, Store } from '../store/store.ts';
import { readMembership } from '../team/team-slot.ts';

/** The id of the workflow that runs a session's turns itself, with no session's workflow that would take in messages. */
const slot = 'turns_run_by';

/** @param workflowId undefined: no workflow does any more. */
export async function setRunner(
  store: Pick<Store, 'slots'>,
  ref: SessionRef,
  workflowId: string | undefined,
): Promise<void> {
  await store.slots.update(ref, slot, () => ({ value: workflowId }));
}

/** The workflow that runs the session's turns itself, or did so last. */
export async function runnerOf(store: Pick<Store, 'slots'>, ref: SessionRef): Promise<string | undefined> {
  return (await store.slots.get(ref, slot)) as string | undefined;
}

export function hasRunner({ sessionId }: SessionRef, runner: string): string {
  return `The turns of session ${sessionId} are run by the workflow ${runner}: answer and interrupt them, and write when it has ended`;
}

/** False for a session that no message reaches: a subagent's, and one whose turns another workflow runs. */
export async function isReachable(
  { slots }: Pick<Store, 'slots'>,
  ref: SessionRef,
  lineage: Lineage | undefined,
): Promise<boolean> {
  if (lineage?.kind === 'subagent') return false;
  return (await slots.get(ref, slot)) === undefined;
}

/** True for a worker whose team was ended: what it began before must not wake it. */
export async function isRetired(store: Store, ref: SessionRef): Promise<boolean> {
  if ((await store.sessions.get(ref))?.lineage?.kind !== 'worker') return false;
  return (await readMembership(store, ref)) === undefined;
}
