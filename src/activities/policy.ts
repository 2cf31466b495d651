import type { Agent } from '../agents/agent.ts';
import { workerPermissions, type Grants, type Inheritance } from '../core/worker-permissions.ts';
import { isPermissionMode, type PermissionMode, type PermissionPolicy } from '../core/permission.ts';
import type { SessionRecord } from '../store/store.ts';
import type { ActivityDeps } from './deps.ts';

type Deps = Pick<ActivityDeps, 'agents' | 'rulesOf' | 'store'>;

/**
 * The mode and all rules that hold for a session now, each with its source. A worker's are narrowed by what holds for its leader now: a person
 * who forbids something to a leader forbids it to its workers. A worker whose leader's session is gone may only read.
 *
 * @throws AgentNotFoundError when nobody here knows what holds for a session above.
 */
export async function policyOf(deps: Deps, agent: Agent, session: SessionRecord): Promise<PermissionPolicy> {
  const own = await ownPolicy(deps, agent, session);
  const { lineage, ref } = session;
  if (lineage?.kind !== 'worker') return own;
  const parent = await deps.store.sessions.get({ owner: ref.owner, sessionId: lineage.parent });
  // One that began after its worker has taken a gone leader's id: nobody knows any more how the worker was narrowed.
  if (!parent || parent.createdAt > session.createdAt) return closed(own, lineage.parent);
  const parentAgent = deps.agents.get(parent.agent);
  const above = await policyOf(deps, parentAgent, parent);

  const defined = deps.agents.get(session.agent).permissions.workingDirectories;
  const narrowed = workerPermissions(
    { ...own, workingDirectories: defined },
    withDirectories(above, parentAgent),
    inheritanceOf(parentAgent, agent.name),
  );
  // What it was given for itself at run time, its own workspace, is nobody else's.
  const given = agent.permissions.workingDirectories.filter((path) => !defined.includes(path));
  return {
    ...narrowed,
    workingDirectories: [...narrowed.workingDirectories, ...given],
    ...(above.closedBecause === undefined ? {} : { closedBecause: above.closedBecause }),
  };
}

/** What is left to a worker that nobody narrows any more: to read, as far as its own rules let it. */
function closed({ rules }: PermissionPolicy, leader: string): PermissionPolicy {
  return {
    mode: 'explore',
    rules: rules.filter(({ behavior }) => behavior !== 'allow'),
    workingDirectories: [],
    closedBecause: `its leader's session is gone (${leader}), and with it what narrows this worker: it may only read`,
  };
}

async function ownPolicy(
  { rulesOf }: Deps,
  agent: Agent,
  { permissions, ref }: SessionRecord,
): Promise<PermissionPolicy> {
  const ownerRules = (await rulesOf?.(ref.owner)) ?? [];
  return {
    mode: knownMode(permissions.mode ?? agent.permissions.mode),
    rules: [
      ...agent.permissions.rules,
      ...ownerRules.map((rule) => ({ ...rule, source: 'owner' as const })),
      ...permissions.rules,
    ],
  };
}

/** A mode that nobody knows, as a store may hold one, allows nothing: it counts as the narrowest. */
function knownMode(mode: PermissionMode): PermissionMode {
  return isPermissionMode(mode) ? mode : 'explore';
}

function withDirectories(policy: PermissionPolicy, agent: Agent): Grants {
  return { workingDirectories: agent.permissions.workingDirectories, ...policy };
}

function inheritanceOf(leader: Agent, worker: string): Inheritance {
  return leader.team?.templates.find(({ agent }) => agent.name === worker)?.inherit ?? {};
}
