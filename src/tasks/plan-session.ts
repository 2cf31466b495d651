import type { SessionRef } from '../contracts/ids.ts';
import { PlanError } from '../core/plan.ts';
import type { Store } from '../store/store.ts';
import { readMembership, readTeam } from '../team/team-slot.ts';

/** Teams of members that lead teams of their own: more than there can be. */
const deepest = 20;

/** The session that holds the plan which a session works on: its own, or that of the leader of all. */
export async function planSessionOf(store: Pick<Store, 'slots'>, ref: SessionRef): Promise<SessionRef> {
  let root = ref;
  for (let depth = 0; depth < deepest; depth += 1) {
    const membership = await readMembership(store, root);
    if (!membership) return root;
    root = { owner: ref.owner, sessionId: membership.leader };
  }
  return root;
}

/** @throws PlanError for an owner that is nobody in the team of this plan. */
export async function checkTaskOwner(
  store: Pick<Store, 'slots'>,
  root: SessionRef,
  owner: string | undefined,
): Promise<void> {
  if (owner === undefined || owner === '') return;
  const team = await readTeam(store, root);
  if (!team) throw new PlanError(`There is no team that ${owner} could be in: leave the owner out.`);
  const names = [team.leader, ...team.members.map(({ name }) => name)];
  if (!names.includes(owner))
    throw new PlanError(`${owner} is not in the team. Its members are ${names.join(', ')}.`);
}
