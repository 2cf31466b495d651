import type { LetterInput, MemberConclusion, StoreActivities } from '../contracts/activities.ts';
import type { SessionRef } from '../contracts/ids.ts';
import { turnIdOf } from '../contracts/ids.ts';
import {
  afterWorkerTurn,
  answerText,
  failureText,
  reminderText,
  type AfterWorkerTurn,
} from '../core/after-worker-turn.ts';
import { count, isSpent, type Team } from '../core/team.ts';
import { messagesTaken } from '../activities/inbox-messages.ts';
import { seal } from '../inbox/seal.ts';
import type { Requesters } from '../core/approval.ts';
import type { Json } from '../schema/message.ts';
import type { Store, TurnRecord } from '../store/store.ts';
import { isGoingOn, isOwing, withoutReport } from './owing.ts';
import { memberSeat, type Seat } from './place.ts';
import { spentMessage } from './say.ts';
import { changeMembership, changeTeam, readMembership, type Membership } from './team-slot.ts';

/** What a member's turn means to its leader: a report that is owed, a failure, or nothing. A repeat comes to the same. */
export async function concludeMemberTurn(
  store: Store,
  { ref, turn, requesters, hasMore = false }: Parameters<StoreActivities['concludeMemberTurn']>[0],
): Promise<MemberConclusion> {
  const membership = await readMembership(store, ref);
  const seat = await memberSeat({ store, ref });
  const record = await store.turns.get(ref, turn);
  if (!membership || !seat || !record) return {};
  if (membership.concluded?.turn === turn) return membership.concluded.outcome as unknown as MemberConclusion;
  const counted = await countTurn(store, seat, turnIdOf(ref, turn));
  const next = afterWorkerTurn({
    finishReason: record.finishReason ?? 'error',
    hasReported: membership.reportedIn === turn,
    isOwing: isOwing(membership),
    isGoingOn: await isGoingOn(store, ref),
    hasMore,
    reminders: membership.reminders,
    isSpent: isSpent(counted, 'turns') || isSpent(counted, 'messages'),
  });
  const outcome = await toConclusion(store, {
    ref,
    record,
    seat,
    membership,
    next,
    team: counted,
    requesters,
  });
  const [answered] =
    membership.asked === undefined ? [] : await messagesTaken(store, ref, [membership.asked]);
  await changeMembership(
    store,
    ref,
    (now) =>
      now && {
        ...after(now, { next, turn, answered }),
        concluded: { turn, outcome: outcome as unknown as Json },
      },
  );
  return outcome;
}

interface Ended {
  ref: SessionRef;
  record: TurnRecord;
  seat: Seat;
  membership: Membership;
  next: AfterWorkerTurn;
  team: Team;
  requesters: Requesters | undefined;
}

async function toConclusion(store: Store, ended: Ended): Promise<MemberConclusion> {
  const { ref, record, seat, membership, next, team, requesters } = ended;
  const behind = requesters ? { requesters } : {};
  const { turn } = record;
  const letters: LetterInput[] = [];
  const write = async (id: string, text: string) => {
    const from = { name: seat.me, sessionId: ref.sessionId };
    const message = { id, kind: 'team' as const, from, text, ...behind };
    letters.push({ to: seat.leader, message: await seal(store, seat.leader, message) });
  };
  const since = membership.unreportedSince ?? turn;
  if (next.kind === 'failure') {
    const why = record.error?.message ?? (await interruptReason(store, ref, record));
    const last = await wordsOf(store, ref, turn, turn);
    await write(turnIdOf(ref, turn), failureText(seat.me, record.finishReason ?? 'error', why, last));
  }
  if (next.kind === 'answer')
    await write(turnIdOf(ref, turn), answerText(seat.me, await wordsOf(store, ref, since, turn)));
  if (isSpent(team, 'turns'))
    letters.push({ to: seat.leader, message: spentMessage(team, 'turns', requesters) });
  return {
    ...(letters.length === 0 ? {} : { reports: letters }),
    ...(next.kind === 'remind'
      ? {
          reminder: {
            id: `remind/${seat.team.id}/${turn}`,
            kind: 'reminder' as const,
            from: { name: 'the team' },
            text: reminderText(seat.team.leader, next.reminder),
            ...behind,
          },
        }
      : {}),
  };
}

/** @param answered the message that a report was owed of, when a turn has taken it in: not one that still waits in the inbox. */
function after(
  now: Membership,
  { next, turn, answered }: { next: AfterWorkerTurn; turn: number; answered: string | undefined },
): Membership {
  const { unreportedSince, ...rest } = now;
  if (next.kind === 'remind')
    return { ...rest, unreportedSince: unreportedSince ?? turn, reminders: next.reminder };
  if (next.kind === 'waiting')
    return now.reportedIn === undefined ? now : { ...withoutReport(rest), reminders: 0 };
  const { asked, ...settled } = withoutReport(rest);
  const isDone = next.kind === 'failure' || asked === answered;
  return { ...settled, ...(asked === undefined || isDone ? {} : { asked }), reminders: 0 };
}

async function countTurn(store: Store, seat: Seat, turnId: string): Promise<Team> {
  const team = await changeTeam(store, seat.leader, (now) => ({
    team: now?.id === seat.team.id ? count(now, 'turns', seat.me, turnId) : now,
  }));
  return team ?? seat.team;
}

async function interruptReason(
  store: Store,
  ref: SessionRef,
  { turn }: TurnRecord,
): Promise<string | undefined> {
  const { lastEventId = 0 } = (await store.sessions.get(ref)) ?? {};
  const events = await store.events.read(ref, Math.max(0, lastEventId - 50));
  const turnId = turnIdOf(ref, turn);
  const interrupt = events.findLast((event) => event.kind === 'interrupted' && event.turnId === turnId);
  return interrupt?.kind === 'interrupted' ? interrupt.reason : undefined;
}

/** The answers of these turns, without repeats. */
async function wordsOf(store: Store, ref: SessionRef, from: number, to: number): Promise<string> {
  const texts: string[] = [];
  for (let turn = from; turn <= to; turn += 1) {
    const record = await store.turns.get(ref, turn);
    const message = record?.replyMessageId && (await store.messages.get(ref, record.replyMessageId));
    const content = message ? message.content : [];
    const text = content
      .map((block) => (block.type === 'text' ? block.text : ''))
      .join('')
      .trim();
    if (text !== '' && !texts.includes(text)) texts.push(text);
  }
  return texts.join('\n\n');
}
