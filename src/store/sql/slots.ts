import type { Json } from '../../schema/message.ts';
import type { SlotStore } from '../store.ts';
import { sessionKey } from './sessions.ts';
import { query, write } from './sql-context.ts';
import type { SqlContext } from './sql-context.ts';

export function sqlSlots(context: SqlContext): SlotStore {
  return {
    get: (ref, name) =>
      query(context, async (db) => {
        const row = await db
          .selectFrom('durascope_slots')
          .select('value')
          .where('session', '=', sessionKey(ref))
          .where('name', '=', name)
          .executeTakeFirst();
        return row && (JSON.parse(row.value) as Json);
      }),

    all: (ref) =>
      query(context, async (db) => {
        const rows = await db
          .selectFrom('durascope_slots')
          .select(['name', 'value'])
          .where('session', '=', sessionKey(ref))
          .orderBy('name')
          .execute();
        return Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value) as Json]));
      }),

    update: (ref, name, change) =>
      write(context, ref, async (session) => {
        const key = { session: session.session.id, name };
        const row = await session.trx
          .selectFrom('durascope_slots')
          .select('value')
          .where('session', '=', key.session)
          .where('name', '=', name)
          .executeTakeFirst();
        const now = row && (JSON.parse(row.value) as Json);
        const { value, events, forgets } = change(now);
        if (forgets !== undefined) await session.deleteEphemeral({ messageId: forgets });
        for (const body of events?.bodies ?? []) session.appendEvent(events?.turn ?? 0, body);
        if (value === now) return now;
        if (value === undefined) {
          await session.trx
            .deleteFrom('durascope_slots')
            .where('session', '=', key.session)
            .where('name', '=', name)
            .execute();
          return undefined;
        }
        const text = JSON.stringify(value);
        await session.trx
          .insertInto('durascope_slots')
          .values({ ...key, value: text })
          .onConflict((conflict) => conflict.columns(['session', 'name']).doUpdateSet({ value: text }))
          .execute();
        return value;
      }),
  };
}
