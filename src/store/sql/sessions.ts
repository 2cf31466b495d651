import { sql } from 'kysely';
import type { Kysely, RawBuilder, Transaction } from 'kysely';
import type { SessionRef } from '../../contracts/ids.ts';
import type { QueuedTurn, SessionControl } from '../../contracts/inputs.ts';
import { noUsage } from '../../core/usage.ts';
import type { Usage } from '../../schema/message.ts';
import type { PermissionRule } from '../../core/permission.ts';
import { NotInStoreError } from '../store-errors.ts';
import type { Enqueued, Lineage, SessionPermissions, SessionRecord, SessionStore } from '../store.ts';
import { attach, lineageColumns, move } from './lineage.ts';
import { numberCursor, pageLimit, timeCursor, toPage } from './page.ts';
import type { Database, SessionRow } from './schema.ts';
import { runPrepared } from './run-prepared.ts';
import { lockSession, query, write } from './sql-context.ts';
import type { SqlContext } from './sql-context.ts';

const emptyControl: SessionControl = { queue: [] };
/** Of JSON: what waits is rewritten with each input that comes, and travels into the workflow whole. */
const maxControlLength = 256 * 1024;
const noPermissions: SessionPermissions = { rules: [] };

export function sqlSessions(context: SqlContext): SessionStore {
  return {
    open: (ref, agent, lineage, metadata = {}) =>
      query(context, async (db) => {
        const known = await selectSession(db, ref);
        const draft = { agent, metadata };
        const create = (trx: Transaction<Database>) =>
          lineage ? createChild(context, trx, ref, { ...draft, lineage }) : createAtTop(trx, ref, draft);
        return toSession(known ?? (await db.transaction().execute(create)));
      }),

    erase: async (ref) => {
      const isErased = await query(context, (db) =>
        db.transaction().execute(async (trx) => {
          // Blobs may be there before their session.
          await trx
            .deleteFrom('durascope_blobs')
            .where('owner', '=', ref.owner)
            .where('session_id', '=', ref.sessionId)
            .execute();
          const known = await selectSession(trx, ref);
          if (known) await trx.deleteFrom('durascope_sessions').where('id', '=', known.id).execute();
          return known !== undefined;
        }),
      );
      context.bus.wake(ref);
      return isErased;
    },

    get: (ref) =>
      query(context, async (db) => {
        const row = await selectSession(db, ref);
        return row && toSession(row);
      }),

    list: (owner, filter) =>
      query(context, async (db) => {
        const limit = pageLimit(filter);
        const before = timeCursor(filter);
        let select = db
          .selectFrom('durascope_sessions')
          .selectAll()
          .where('owner', '=', owner)
          // Spelled as in the partial indexes, with no parameter: SQLite uses them for nothing else.
          .where(sql<boolean>`is_child = 0`);
        if (filter.agent !== undefined) select = select.where('agent', '=', filter.agent);
        if (filter.state !== undefined) select = select.where('state', '=', filter.state);
        if (before) select = select.where(sql<boolean>`(updated_at, id) < (${before[0]}, ${before[1]})`);
        const rows = await select
          .orderBy('updated_at', 'desc')
          .orderBy('id', 'desc')
          .limit(limit + 1)
          .execute();
        return toPage(rows, limit, { item: toSession, key: (row) => [row.updated_at, row.id] });
      }),

    setLineage: (ref, lineage) =>
      write(context, ref, async (session) => {
        const parent = lineage && (await lockParent(context, session.trx, ref, lineage));
        await move(session, lineage && parent ? { lineage, parent: parent.id } : undefined);
        session.change({ ...lineageColumns(lineage), updated_at: session.now });
        return toSession(session.session);
      }),

    ancestors: (ref) =>
      query(context, async (db) => {
        const rows = await db
          .selectFrom('durascope_lineage as l')
          .innerJoin('durascope_sessions as s', 's.id', 'l.ancestor')
          .select(['s.session_id', 'l.path', 'l.relay'])
          .where('l.descendant', '=', sessionKey(ref))
          .orderBy('l.depth')
          .execute();
        return rows.map((row) => ({
          ref: { owner: ref.owner, sessionId: row.session_id },
          path: JSON.parse(row.path) as string[],
          relay: row.relay,
        }));
      }),

    children: (ref, page) =>
      query(context, async (db) => {
        const limit = pageLimit(page);
        const rows = await db
          .selectFrom('durascope_lineage as l')
          .innerJoin('durascope_sessions as s', 's.id', 'l.descendant')
          .selectAll('s')
          .where('l.ancestor', '=', sessionKey(ref))
          .where('l.depth', '=', 1)
          .where('l.descendant', '>', numberCursor(page) ?? 0)
          .orderBy('l.descendant')
          .limit(limit + 1)
          .execute();
        return toPage(rows, limit, { item: toSession, key: (row) => [row.id] });
      }),

    saveControl: (ref, control) =>
      write(context, ref, async (session) => {
        session.change({ control: JSON.stringify(control), updated_at: session.now });
      }),

    enqueue: (ref, agent, input, { mayWait }) =>
      query(context, async (db) => {
        // Most come to a session that is new: one statement, on a server one way there and back.
        const control = { queue: [{ turn: 1, ...input }] };
        const begun = await insertSession(db, ref, { agent, metadata: {}, control });
        if (begun) return { session: toSession(begun), enqueued: { turn: 1, status: 'started' } };
        return db.transaction().execute(async (trx) => {
          const row = await lockSession(context, trx, ref);
          const enqueued = place(row, agent, input, mayWait);
          if (enqueued?.status === 'started' || enqueued?.status === 'queued')
            await trx
              .updateTable('durascope_sessions')
              .set({ control: row.control })
              .where('id', '=', row.id)
              .execute();
          return { session: toSession(row), ...(enqueued ? { enqueued } : {}) };
        });
      }),

    claim: (ref, agent) =>
      query(context, async (db) => {
        const known = await selectSession(db, ref);
        if (known?.is_claimed === 1) return toSession(known);
        return db.transaction().execute(async (trx) => {
          await insertSession(trx, ref, { agent, metadata: {} });
          const row = await lockSession(context, trx, ref);
          await trx
            .updateTable('durascope_sessions')
            .set({ is_claimed: 1 })
            .where('id', '=', row.id)
            .execute();
          return toSession({ ...row, is_claimed: 1 });
        });
      }),

    release: (ref) =>
      query(context, async (db) => {
        await db
          .updateTable('durascope_sessions')
          .set({ is_claimed: 0 })
          .where('owner', '=', ref.owner)
          .where('session_id', '=', ref.sessionId)
          .execute();
      }),

    changePermissions: (ref, { mode, rules, addRules = [] }) =>
      write(context, ref, async (session) => {
        const before = JSON.parse(session.session.permissions) as SessionPermissions;
        const all = [...(rules ?? before.rules), ...addRules];
        const unique = all.filter((rule, i) => all.findIndex((other) => isSameRule(rule, other)) === i);
        const after = { ...before, ...(mode === undefined ? {} : { mode }), rules: unique };
        session.change({ permissions: JSON.stringify(after), updated_at: session.now });
        return after;
      }),
  };
}

function isSameRule(a: PermissionRule, b: PermissionRule): boolean {
  return a.tool === b.tool && a.pattern === b.pattern && a.behavior === b.behavior;
}

/** Puts an input into the row's control, where the store may number it. */
function place(
  row: SessionRow,
  agent: string,
  input: Omit<QueuedTurn, 'turn'>,
  mayWait: boolean,
): Enqueued | undefined {
  if (row.is_claimed === 1 || row.agent !== agent || row.lineage !== null) return undefined;
  const control = JSON.parse(row.control) as SessionControl;
  const queue = control.queue.filter(({ turn }) => turn > row.last_turn);
  const same = queue.find(({ inputId }) => inputId === input.inputId);
  if (same) return { turn: same.turn, status: 'repeated' };
  if (queue.length > 0 && (!mayWait || row.control.length > maxControlLength)) return undefined;
  const turn = (queue.at(-1)?.turn ?? row.last_turn) + 1;
  row.control = JSON.stringify({ ...control, queue: [...queue, { turn, ...input }] });
  return { turn, status: queue.length > 0 ? 'queued' : 'started' };
}

interface SessionDraft {
  agent: string;
  metadata: Record<string, string>;
  control?: SessionControl;
  lineage?: Lineage;
}

async function createAtTop(
  trx: Transaction<Database>,
  ref: SessionRef,
  draft: SessionDraft,
): Promise<SessionRow> {
  await insertSession(trx, ref, draft);
  return needSession(trx, ref);
}

async function createChild(
  context: SqlContext,
  trx: Transaction<Database>,
  ref: SessionRef,
  draft: SessionDraft & { lineage: Lineage },
): Promise<SessionRow> {
  const { lineage } = draft;
  const parent = await lockParent(context, trx, ref, lineage);
  const isNew = await insertSession(trx, ref, draft);
  const session = await needSession(trx, ref);
  if (isNew) await attach(trx, session.id, lineage, parent.id);
  return session;
}

/** Whoever changes where the parent hangs waits, or has been. */
async function lockParent(
  context: SqlContext,
  trx: Transaction<Database>,
  ref: SessionRef,
  { parent }: Lineage,
): Promise<SessionRow> {
  try {
    return await lockSession(context, trx, { owner: ref.owner, sessionId: parent });
  } catch (error) {
    if (!(error instanceof NotInStoreError)) throw error;
    throw new NotInStoreError(`Session ${ref.owner}/${parent}`, `it is to be the parent of ${ref.sessionId}`);
  }
}

/** Two processes may create one session at once: the first one's agent stays, and the other has no answer. */
async function insertSession(
  db: Kysely<Database>,
  ref: SessionRef,
  { agent, metadata, lineage, control = emptyControl }: SessionDraft,
): Promise<SessionRow | undefined> {
  const now = new Date().toISOString();
  return db
    .insertInto('durascope_sessions')
    .values({
      owner: ref.owner,
      session_id: ref.sessionId,
      agent,
      state: 'idle',
      head: 0,
      context_from: 1,
      excluded_turns: '[]',
      last_event_id: 0,
      last_turn: 0,
      created_at: now,
      updated_at: now,
      usage: JSON.stringify(noUsage),
      control: JSON.stringify(control),
      permissions: JSON.stringify(noPermissions),
      ...lineageColumns(lineage),
      metadata: JSON.stringify(metadata),
      is_claimed: 0,
    })
    .onConflict((conflict) => conflict.columns(['owner', 'session_id']).doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** The surrogate key, as a subquery: content of a session is read in one query. */
export function sessionKey(ref: SessionRef): RawBuilder<number> {
  return sql<number>`(select id from durascope_sessions where owner = ${ref.owner} and session_id = ${ref.sessionId})`;
}

async function selectSession(
  db: Kysely<Database>,
  { owner, sessionId }: SessionRef,
): Promise<SessionRow | undefined> {
  const [row] = await runPrepared(db, 'session', { owner, sessionId }, (values) =>
    db
      .selectFrom('durascope_sessions')
      .selectAll()
      .where('owner', '=', values.owner)
      .where('session_id', '=', values.sessionId),
  );
  return row;
}

/** One that was made in this transaction. */
async function needSession(trx: Transaction<Database>, ref: SessionRef): Promise<SessionRow> {
  const row = await selectSession(trx, ref);
  if (!row) throw new Error(`Session ${ref.owner}/${ref.sessionId} was made and is not there`);
  return row;
}

function toSession(row: SessionRow): SessionRecord {
  return {
    ref: { owner: row.owner, sessionId: row.session_id },
    agent: row.agent,
    state: row.state,
    control: JSON.parse(row.control) as SessionControl,
    permissions: JSON.parse(row.permissions) as SessionPermissions,
    metadata: JSON.parse(row.metadata) as Record<string, string>,
    head: row.head,
    contextFrom: row.context_from,
    excludedTurns: JSON.parse(row.excluded_turns) as number[],
    lastEventId: row.last_event_id,
    lastTurn: row.last_turn,
    usage: JSON.parse(row.usage) as Usage,
    ...(row.lineage === null ? {} : { lineage: JSON.parse(row.lineage) as Lineage }),
    isClaimed: row.is_claimed === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
