import { Context } from '@temporalio/activity';
import { sessionWorkflowId, type SessionRef } from '../contracts/ids.ts';
import type { Store } from '../store/store.ts';
import { readTeam } from '../team/team-slot.ts';
import { isWorkflowOpen, lookout } from './look-after.ts';

const isTime = lookout();

/** A larger team is not looked at anew for each turn that a report begins: that would be each with each. */
const smallTeam = 20;
const atOnce = 10;

/**
 * Wakes members of a leader's team whose session's workflow was ended from outside in mid-turn: a session that starts closes what it left
 * behind, and tells its leader. A failure to find out is no failure of the leader's turn: the next step looks again.
 */
export async function wakeLostMembers(store: Store, leader: SessionRef, isTurnStart: boolean): Promise<void> {
  const { members = [] } = (await readTeam(store, leader)) ?? {};
  if (members.length === 0 || !isTime(leader, isTurnStart && members.length <= smallTeam)) return;
  const { owner } = leader;
  for (let i = 0; i < members.length; i += atOnce)
    await Promise.all(
      members
        .slice(i, i + atOnce)
        .map(({ sessionId }) => lookAfter(store, { owner, sessionId }).catch(() => undefined)),
    );
}

async function lookAfter(store: Store, ref: SessionRef): Promise<void> {
  const session = await store.sessions.get(ref);
  const workflowId = sessionWorkflowId(ref);
  if (!session || session.state === 'idle' || (await isWorkflowOpen(workflowId))) return;
  const { client, info } = Context.current();
  await client.workflow.start('agentSession', {
    workflowId,
    taskQueue: info.taskQueue,
    args: [{ ref, agent: session.agent }],
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: `${session.agent} · session ${ref.sessionId} of ${ref.owner}`,
  });
}
