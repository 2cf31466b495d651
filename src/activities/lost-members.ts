import { Context } from '@temporalio/activity';
import { sessionWorkflowId, type SessionRef } from '../contracts/ids.ts';
import { isWorkflowOpen } from '../inbox/is-open.ts';
import { sessionStart } from '../inbox/session-start.ts';
import type { Store } from '../store/store.ts';
import { dropAsked, owingMembers } from '../team/owing.ts';
import { readTeam } from '../team/team-slot.ts';
import { deliverMessage } from './deliver-message.ts';
import type { ActivityDeps } from './deps.ts';
import { messagesTaken } from './inbox-messages.ts';
import { lookout } from './lookout.ts';

const isTime = lookout();

/** A larger team is not looked at anew for each turn that a report begins: that would be each with each. */
const smallTeam = 20;
const atOnce = 10;

/** Looks after the members of a leader that runs: at the start of each of its turns, and now and then within them. */
export async function wakeLostMembers(store: Store, leader: SessionRef, isTurnStart: boolean): Promise<void> {
  const { members = [] } = (await readTeam(store, leader)) ?? {};
  if (members.length > 0 && isTime(leader, isTurnStart && members.length <= smallTeam))
    await wakeLost(store, leader, members);
}

/**
 * The same for a leader at rest. It also hears of members that were ended before they took in what it told them last.
 *
 * @returns whether a member still owes it a report.
 */
export async function lookAfterMembers(
  deps: Pick<ActivityDeps, 'store'>,
  leader: SessionRef,
): Promise<boolean> {
  const { store } = deps;
  const owing = await owingMembers(store, leader);
  await wakeLost(store, leader, owing);
  for (const member of owing) await tellIfUnread(deps, leader, member).catch(() => undefined);
  return owing.length > 0;
}

/**
 * Wakes members whose session's workflow was ended from outside in mid-turn: a session that starts closes what it left behind, and tells its
 * leader. A failure to find out is no failure of whoever asks: another look follows.
 */
async function wakeLost(
  store: Store,
  { owner }: SessionRef,
  members: readonly { sessionId: string }[],
): Promise<void> {
  for (let i = 0; i < members.length; i += atOnce)
    await Promise.all(
      members
        .slice(i, i + atOnce)
        .map(({ sessionId }) => lookAfter(store, { owner, sessionId }).catch(() => undefined)),
    );
}

async function lookAfter(store: Store, ref: SessionRef): Promise<void> {
  const session = await store.sessions.get(ref);
  const { client, info } = Context.current();
  if (!session || session.state === 'idle' || (await isWorkflowOpen(client, sessionWorkflowId(ref)))) return;
  await client.workflow.start('agentSession', {
    ...sessionStart(ref, { agent: session.agent, taskQueue: info.taskQueue, mustExist: true }),
    workflowIdConflictPolicy: 'USE_EXISTING',
  });
}

/** What waits in an inbox is lost with its workflow. A leader at rest sends nothing that might just be under way. */
async function tellIfUnread(
  deps: Pick<ActivityDeps, 'store'>,
  leader: SessionRef,
  { sessionId, name, asked }: Awaited<ReturnType<typeof owingMembers>>[number],
): Promise<void> {
  const { store } = deps;
  const ref = { owner: leader.owner, sessionId };
  if (await isWorkflowOpen(Context.current().client, sessionWorkflowId(ref))) return;
  if ((await messagesTaken(store, ref, [asked])).length > 0) return;
  await dropAsked(store, ref, asked);
  await deliverMessage(deps, {
    to: leader,
    message: {
      id: `unread/${asked}`,
      kind: 'team',
      from: { name: 'the team' },
      text: `${name} was ended from outside before it read your last message: tell it again what you need.`,
    },
  });
}
