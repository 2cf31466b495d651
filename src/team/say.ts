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
import type { CallContext } from '../tools/tool.ts';
import { ledSeat, memberSeat, sessionOf, type Seat, type TeamPlace } from './place.ts';
import { changeTeam } from './team-slot.ts';

/** Sends a message to one or to all, and says to whom it went. A repeat of the call sends nothing twice. */
export async function say(
  place: TeamPlace,
  { content, to }: { content: string; to?: string | undefined },
  { callId, requesters }: Pick<CallContext, 'callId' | 'requesters'>,
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
  const failures: string[] = [];
  await Promise.all(
    names.map((name) =>
      send(place, seat, name, { id: `say/${callId}`, text: content, requesters }).catch((error: unknown) => {
        failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      }),
    ),
  );
  if (counted && isSpent(counted, 'messages')) {
    const message = spentMessage(counted, 'messages', requesters);
    await deliver(courierHere(place.store), { owner: leader.owner, to: leader, message });
  }
  const reached = names.filter((name) => !failures.some((failure) => failure.startsWith(`${name}: `)));
  const notReached = failures.length === 0 ? '' : `Not delivered to ${failures.join('; ')}.`;
  if (reached.length === 0) throw new TeamRuleError(notReached);
  return [`Delivered to ${reached.join(', ')}.`, notReached].filter((line) => line !== '').join(' ');
}

/** Puts a message of this session into the inbox of a name in the team. */
export async function send(
  { store, ref }: Pick<TeamPlace, 'store' | 'ref'>,
  seat: Seat,
  name: string,
  { requesters, ...said }: { id: string; text: string; requesters: Requesters | undefined },
): Promise<void> {
  await deliver(courierHere(store), {
    owner: ref.owner,
    to: sessionOf(seat, name),
    message: {
      ...said,
      kind: 'team',
      from: { name: seat.me, sessionId: ref.sessionId },
      ...(requesters ? { requesters } : {}),
    },
  });
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
