import { parseTurnId } from '../contracts/ids.ts';
import type { InboxMessage } from '../contracts/inbox.ts';
import type { Requesters } from '../core/approval.ts';
import {
  count,
  isCounted,
  isSpent,
  recipientsOf,
  spentText,
  TeamRuleError,
  type Team,
} from '../core/team.ts';
import { courierHere } from '../inbox/courier.ts';
import { deliver } from '../inbox/deliver.ts';
import { InboxError } from '../inbox/inbox-error.ts';
import type { CallContext } from '../tools/tool.ts';
import { noteAsked, noteReported } from './owing.ts';
import { ledSeat, memberSeat, sessionOf, type Seat, type TeamPlace } from './place.ts';
import { changeTeam } from './team-slot.ts';

/** Sends a message to one or to all, and says to whom it went. A repeat of the call sends nothing twice. */
export async function say(
  place: TeamPlace,
  { content, to }: { content: string; to?: string | undefined },
  { callId, turnId, requesters }: Pick<CallContext, 'callId' | 'turnId' | 'requesters'>,
): Promise<string> {
  const { seat, names } = await addressed(place, to);
  const { team, leader, me } = seat;
  const isToMembers = names.some((name) => name !== team.leader);
  const isRepeat = isCounted(team, 'messages', me, callId);
  if (isToMembers && isSpent(team, 'turns') && !isRepeat) throw new TeamRuleError(spentText(team, 'turns'));
  const counted = await changeTeam(place.store, leader, (now) => {
    if (!now) throw new TeamRuleError('the team was ended');
    if (isSpent(now, 'messages') && !isCounted(now, 'messages', me, callId))
      throw new TeamRuleError(spentText(now, 'messages'));
    return { team: count(now, 'messages', me, callId) };
  });
  const isReport = me !== team.leader && names.includes(team.leader);
  const takeBack = isReport
    ? await noteReported(place.store, place.ref, parseTurnId(turnId)?.turn ?? 0)
    : undefined;
  const reached = new Set<string>();
  const failures: string[] = [];
  await Promise.all(
    names.map(async (name) => {
      try {
        await send(place, seat, name, { id: `say/${callId}`, text: content, requesters });
        reached.add(name);
      } catch (error) {
        failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }),
  );
  if (!reached.has(team.leader)) await takeBack?.();
  if (counted && isSpent(counted, 'messages')) {
    const message = spentMessage(counted, 'messages', requesters);
    await deliver(courierHere(place.store), { owner: leader.owner, to: leader, message }).catch(
      ignoreRefusal,
    );
  }
  const notReached = failures.length === 0 ? '' : `Not delivered to ${failures.join('; ')}.`;
  if (reached.size === 0) throw new TeamRuleError(notReached);
  const delivered = names.filter((name) => reached.has(name)).join(', ');
  return [`Delivered to ${delivered}.`, notReached].filter((line) => line !== '').join(' ');
}

/** Whoever sends next is told the same, and what was sent has arrived. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof InboxError)) throw error;
}

/** Puts a message of this session into the inbox of a name in the team. A leader waits for an answer to it. */
export async function send(
  { store, ref }: Pick<TeamPlace, 'store' | 'ref'>,
  seat: Seat,
  name: string,
  { requesters, ...said }: { id: string; text: string; requesters: Requesters | undefined },
): Promise<void> {
  const { team, me } = seat;
  const to = sessionOf(seat, name);
  const takeBack = me === team.leader ? await noteAsked(store, to, team.id, said.id) : undefined;
  const message: InboxMessage = {
    ...said,
    kind: 'team',
    from: { name: me, sessionId: ref.sessionId },
    ...(requesters ? { requesters } : {}),
  };
  try {
    await deliver(courierHere(store), { owner: ref.owner, to, message });
  } catch (error) {
    await takeBack?.();
    throw error;
  }
}

/** What the leader is told once, when a budget is used up. */
export function spentMessage(
  team: Team,
  what: 'messages' | 'turns',
  requesters: Requesters | undefined,
): InboxMessage {
  return {
    id: `spent/${team.id}/${what}`,
    kind: 'team',
    from: { name: 'the team' },
    text: spentText(team, what),
    ...(requesters ? { requesters } : {}),
  };
}

/** Whom a message is for: a name of the team that this session leads, else of the one that it is a member of. */
async function addressed(place: TeamPlace, to: string | undefined): Promise<{ seat: Seat; names: string[] }> {
  const seats = [await ledSeat(place), await memberSeat(place)].filter((seat) => seat !== undefined);
  if (seats.length === 0) throw new TeamRuleError('you are in no team now');
  const refusals: string[] = [];
  for (const seat of seats) {
    try {
      return { seat, names: recipientsOf(seat.team, seat.me, to) };
    } catch (error) {
      if (!(error instanceof TeamRuleError)) throw error;
      refusals.push(error.message);
    }
  }
  throw new TeamRuleError(refusals.join('; and '));
}
