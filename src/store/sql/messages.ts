import type { Msg } from '../../schema/message.ts';
import type { MessageStore, MsgDraft } from '../store.ts';
import { messageColumns, toMessage } from './message-row.ts';
import { numberCursor, pageLimit, toPage } from './page.ts';
import type { SessionWriter } from './session-writer.ts';
import { sessionKey } from './sessions.ts';
import { query, write } from './sql-context.ts';
import type { SqlContext } from './sql-context.ts';

export function sqlMessages(context: SqlContext): MessageStore {
  return {
    append: (ref, messages) => write(context, ref, (session) => appendMessages(session, messages)),

    range: (ref, fromSeq, toSeq) =>
      query(context, async (db) => {
        const rows = await db
          .selectFrom('durascope_messages')
          .select(messageColumns)
          .where('session', '=', sessionKey(ref))
          .where('seq', '>=', fromSeq)
          .where('seq', '<=', toSeq)
          .orderBy('seq')
          .execute();
        return rows.map(toMessage);
      }),

    outline: (ref, fromSeq, toSeq) =>
      query(context, (db) =>
        db
          .selectFrom('durascope_messages')
          .select(['seq', 'turn', 'role', 'tokens'])
          .where('session', '=', sessionKey(ref))
          .where('seq', '>=', fromSeq)
          .where('seq', '<=', toSeq)
          .orderBy('seq')
          .execute(),
      ),

    get: (ref, id) =>
      query(context, async (db) => {
        const row = await db
          .selectFrom('durascope_messages')
          .select(messageColumns)
          .where('session', '=', sessionKey(ref))
          .where('id', '=', id)
          .executeTakeFirst();
        return row && toMessage(row);
      }),

    list: (ref, page) =>
      query(context, async (db) => {
        const limit = pageLimit(page);
        const cursor = numberCursor(page);
        const isBackwards = page.order === 'newest';
        const rows = await db
          .selectFrom('durascope_messages')
          .select(messageColumns)
          .where('session', '=', sessionKey(ref))
          .$if(cursor !== undefined, (select) => select.where('seq', isBackwards ? '<' : '>', cursor!))
          .orderBy('seq', isBackwards ? 'desc' : 'asc')
          .limit(limit + 1)
          .execute();
        return toPage(rows, limit, { item: toMessage, key: (row) => [row.seq] });
      }),
  };
}

/** Of a team's message in its event, in characters; the message itself has the whole. */
const eventTextLength = 2000;

/** Places those that are not there yet at the head, and answers all as they are committed, in the order given. */
export async function appendMessages(session: SessionWriter, drafts: readonly MsgDraft[]): Promise<Msg[]> {
  if (drafts.length === 0) return [];
  const rows = await session.trx
    .selectFrom('durascope_messages')
    .select(messageColumns)
    .where('session', '=', session.session.id)
    .where('id', 'in', [...new Set(drafts.map((draft) => draft.id))])
    .execute();
  const placed = new Map(rows.map((row) => [row.id, toMessage(row)]));
  return drafts.map((draft) => {
    const known = placed.get(draft.id);
    if (known) return known;
    const message = session.placeMessage(draft, session.reserveSeqs(1));
    placed.set(message.id, message);
    const hint = message.content.find((block) => block.type === 'hint');
    if (hint?.from && hint.source === 'team')
      session.appendEvent(message.turn, {
        kind: 'team_message',
        from: hint.from.name,
        text: hint.text.slice(0, eventTextLength),
      });
    session.appendMessageEvent(
      message.turn,
      hint ? { kind: 'hint', messageId: message.id, blockId: hint.id, message } : { kind: 'input', message },
    );
    return message;
  });
}
