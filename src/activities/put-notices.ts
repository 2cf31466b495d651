import type { CallModelInput } from '../contracts/activities.ts';
import { noticeMessageId } from '../core/message-ids.ts';
import type { SessionRecord, Store } from '../store/store.ts';
import type { Notice } from './equip.ts';

const slot = 'notices';

/** The last notice of each source, with its place in the transcript. */
type Given = Record<string, { text: string; seq: number }>;

/**
 * Puts into the transcript what the model should know now, before it is called: what changed since it was told the last time, or left its
 * context meanwhile. As messages of their own, so that the system prompt stays as it is. True when there was something to tell.
 */
export async function putNotices(
  store: Store,
  { ref, turn, step }: CallModelInput,
  session: SessionRecord,
  notices: readonly Notice[],
): Promise<boolean> {
  if (notices.length === 0) return false;
  const given = ((await store.slots.get(ref, slot)) ?? {}) as Given;
  const isNews = ({ source, text }: Notice) => {
    const last = given[source];
    return last === undefined || last.text !== text || last.seq < session.contextFrom;
  };
  const news = notices.filter(isNews);
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
