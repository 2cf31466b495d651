import type { CallModelInput } from '../contracts/activities.ts';
import { noticeMessageId } from '../core/message-ids.ts';
import { callsOf } from '../core/pair-results.ts';
import type { SessionRecord } from '../store/store.ts';
import type { ActivityDeps } from './deps.ts';
import type { EquippedAgent, Notice } from './equip.ts';

const slot = 'notices';

/** The last notice of each source, with its place in the transcript. */
type Given = Record<string, { text: string; seq: number }>;

type Deps = Pick<ActivityDeps, 'store' | 'contexts'>;

/**
 * Puts into the transcript what the model should know now, before it is called: what changed since it was told the last time, or left its
 * context meanwhile. As messages of their own, so that the system prompt stays as it is. True when there was something to tell.
 */
export async function putNotices(
  deps: Deps,
  { ref, turn, step }: CallModelInput,
  session: SessionRecord,
  { notices, maxResultTokens }: Pick<EquippedAgent, 'notices' | 'maxResultTokens'>,
): Promise<boolean> {
  if (notices.length === 0) return false;
  const { store } = deps;
  const given = ((await store.slots.get(ref, slot)) ?? {}) as Given;
  const news: Notice[] = [];
  for (const notice of notices) {
    const last = given[notice.source];
    const isShown = last !== undefined && last.seq >= session.contextFrom;
    const isKnown = notice.unlessCalled
      ? isShown || (await showsCall(deps, session, maxResultTokens, notice.unlessCalled))
      : isShown && last.text === notice.text;
    if (!isKnown) news.push(notice);
  }
  if (news.length === 0) return false;
  const messages = await store.messages.append(
    ref,
    news.map(({ source, text }) => ({
      id: noticeMessageId(turn, step, source),
      turn,
      step,
      role: 'user' as const,
      createdAt: new Date().toISOString(),
      content: [{ type: 'hint' as const, id: 'b0', text, source }],
    })),
  );
  const told = news.map(({ source, text }, i) => [source, { text, seq: messages[i]?.seq ?? 0 }] as const);
  await store.slots.update(ref, slot, (now) => ({
    value: { ...(now as Given | undefined), ...Object.fromEntries(told) },
  }));
  return true;
}

/** Whether the model will see a call of one of these tools. The context that is read for it is the one that the model call needs anyway. */
async function showsCall(
  { store, contexts }: Deps,
  session: SessionRecord,
  maxResultTokens: number,
  tools: readonly string[],
): Promise<boolean> {
  const context = await contexts.load(store.messages, session, maxResultTokens);
  return context.some(
    ({ msg }) =>
      !session.excludedTurns.includes(msg.turn) && callsOf(msg).some(({ name }) => tools.includes(name)),
  );
}
