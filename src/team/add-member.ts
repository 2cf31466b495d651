import { parseTurnId, sessionWorkflowId, type SessionRef } from '../contracts/ids.ts';
import { startWorkerUpdate } from '../contracts/messages.ts';
import { childSessionId } from '../core/lineage.ts';
import { addMember, TeamRuleError, type TeamMember } from '../core/team.ts';
import { outlastStore } from '../activities/outlast-store.ts';
import { courierHere } from '../inbox/courier.ts';
import { describeError } from '../tools/tool-errors.ts';
import type { CallContext } from '../tools/tool.ts';
import { dismiss } from './end-team.ts';
import { memberSeat, mustLead, type Seat, type TeamPlace } from './place.ts';
import { send } from './say.ts';
import { changeMembership, changeTeam, readMembership } from './team-slot.ts';

export interface NewWorker {
  name: string;
  description: string;
  prompt: string;
  template: string;
}

/** Begins a worker: its place in the team, its session, its workflow, its first message. Each step finds what an earlier attempt did. */
export async function createWorker(
  place: TeamPlace,
  { name, description, prompt, template: templateName }: NewWorker,
  context: CallContext,
): Promise<string> {
  const template = place.agent.team?.templates.find((one) => one.name === templateName);
  if (!template) throw new TeamRuleError(`there is no template ${templateName}`);
  const { store, ref } = place;
  const agent = template.agent.name;
  const sessionId = await freeSessionId(place, name, context.callId);
  const member: TeamMember = { name, description, sessionId, agent, role: 'created', key: context.callId };
  const seat = await join(place, member, context);
  const worker = { owner: ref.owner, sessionId };
  const lineage = {
    parent: ref.sessionId,
    kind: 'worker' as const,
    name,
    relay: 'gates' as const,
    callId: context.callId,
  };
  await orLeave(place, { seat, member, context }, async () => {
    await store.sessions.open(worker, agent, lineage);
    await enrol(place, seat, worker, name);
    const { temporal } = courierHere(store);
    await temporal.workflow
      .getHandle(sessionWorkflowId(ref))
      .executeUpdate(startWorkerUpdate, { args: [{ ref: worker, agent, name }] });
    const { callId, requesters } = context;
    await send(place, seat, name, { id: `prompt/${callId}`, text: prompt, requesters });
  });
  return `${name} is at work, in session ${sessionId}. You get a message when there is a report: don't ask before.`;
}

export interface Invitation {
  session: string;
  name: string;
  description: string;
  prompt: string;
}

/** Takes an existing session of the same owner into the team. It keeps its agent, its transcript and its permissions. */
export async function inviteSession(
  place: TeamPlace,
  { session: sessionId, name, description, prompt }: Invitation,
  context: CallContext,
): Promise<string> {
  const { store, ref } = place;
  const guest = { owner: ref.owner, sessionId };
  const record = await store.sessions.get(guest);
  // Those of other owners are none.
  if (!record) throw new TeamRuleError(`there is no session ${sessionId}`);
  const invites = place.agent.team?.invites ?? [];
  if (!invites.includes(record.agent))
    throw new TeamRuleError(
      `sessions of ${record.agent} may not be invited: only those of ${invites.join(', ')} may`,
    );
  if (sessionId === ref.sessionId) throw new TeamRuleError('this is your own session');
  const isHere = record.lineage?.parent === ref.sessionId && record.lineage.name === name;
  if (record.lineage && !isHere)
    throw new TeamRuleError(`session ${sessionId} belongs to ${record.lineage.parent} already`);
  const member: TeamMember = {
    name,
    description,
    sessionId,
    agent: record.agent,
    role: 'invited',
    key: context.callId,
  };
  const seat = await join(place, member, context);
  const { callId, requesters } = context;
  await orLeave(place, { seat, member, context }, async () => {
    await store.sessions.setLineage(guest, {
      parent: ref.sessionId,
      kind: 'invited',
      name,
      relay: 'gates',
      callId,
    });
    await enrol(place, seat, guest, name);
    await send(place, seat, name, { id: `prompt/${callId}`, text: prompt, requesters });
  });
  return `${name} has joined. You get a message when there is a report: don't ask before.`;
}

async function join(place: TeamPlace, member: TeamMember, { turnId }: CallContext): Promise<Seat> {
  const { store, ref } = place;
  const seat = await mustLead(place);
  const above = await memberSeat(place);
  const taken = above ? [above.me, above.team.leader, ...above.team.members.map(({ name }) => name)] : [];
  const team = await changeTeam(store, ref, (now) => {
    if (!now) throw new TeamRuleError('the team was ended');
    const next = addMember(now, member, taken);
    if (next === now) return { team: now };
    const { name, sessionId, agent, role } = member;
    return {
      team: next,
      turn: parseTurnId(turnId)?.turn ?? 0,
      events: [
        {
          kind: 'team_changed',
          change: 'member_added',
          team: now.name,
          member: { name, sessionId, agent, role },
        },
      ],
    };
  });
  return { ...seat, team: team ?? seat.team };
}

/** Whoever can't begin is no member: what was done for it is taken back. A repeat of the call, after its worker was lost, goes on instead. */
async function orLeave(
  place: TeamPlace,
  { seat, member, context }: { seat: Seat; member: TeamMember; context: CallContext },
  begin: () => Promise<void>,
): Promise<void> {
  try {
    await begin();
  } catch (error) {
    const turn = parseTurnId(context.turnId)?.turn ?? 0;
    const reason = `it could not begin: ${describeError(error)}`;
    await outlastStore(context.signal, () => dismiss(place, seat, member, { turn, reason }));
    throw error;
  }
}

async function enrol(
  { store, ref }: TeamPlace,
  { team }: Seat,
  member: SessionRef,
  name: string,
): Promise<void> {
  const known = await readMembership(store, member);
  if (known?.teamId === team.id) return;
  await changeMembership(store, member, (now) =>
    now?.teamId === team.id
      ? now
      : { leader: ref.sessionId, leaderName: team.leader, teamId: team.id, name, reminders: 0 },
  );
}

/** Named after the leader's session and the worker, with a number when an earlier team had one of that name. */
async function freeSessionId({ store, ref }: TeamPlace, name: string, callId: string): Promise<string> {
  for (let n = 1; ; n += 1) {
    const sessionId = childSessionId(ref.sessionId, n === 1 ? name : `${name}-${n}`);
    const known = await store.sessions.get({ owner: ref.owner, sessionId });
    if (!known || known.lineage?.callId === callId) return sessionId;
  }
}
