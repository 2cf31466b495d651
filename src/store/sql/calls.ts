import { sql } from 'kysely';
import type { Kysely, Updateable } from 'kysely';
import type { SessionRef } from '../../contracts/ids.ts';
import { resultMessageId } from '../../core/message-ids.ts';
import { isSettled } from '../../core/next-action.ts';
import type { EventBody } from '../../schema/event.ts';
import { NotInStoreError } from '../store-errors.ts';
import type { CallRecord, CallStore } from '../call-store.ts';
import { placeResult } from './call-results.ts';
import { toCall, toOwnedCall } from './call-row.ts';
import type { CallDetail } from './call-row.ts';
import { commitStep, stepOf } from './commit-step.ts';
import { runPrepared } from './run-prepared.ts';
import { numberCursor, pageLimit, toPage } from './page.ts';
import type { CallRow, Database } from './schema.ts';
import type { SessionWriter } from './session-writer.ts';
import { sessionKey } from './sessions.ts';
import { query, write } from './sql-context.ts';
import type { SqlContext } from './sql-context.ts';

const openBelowLimit = 1_000;

export function sqlCalls(context: SqlContext): CallStore {
  return {
    step: (ref, turn, step) => query(context, (db) => stepOf(db, sessionKey(ref), turn, step)),

    commitStep: (input) => write(context, input.ref, (session) => commitStep(session, input)),

    get: (ref, callId) =>
      query(context, async (db) => {
        const [row] = await runPrepared(db, 'call', { ...ref, callId }, (values) =>
          db
            .selectFrom('durascope_calls')
            .selectAll()
            .where('owner', '=', values.owner)
            .where('call_id', '=', values.callId)
            .where('session', '=', sessionKey(values)),
        );
        return row && toCall(row);
      }),

    find: (owner, callId) =>
      query(context, async (db) => {
        const row = await selectOwned(db, owner).where('call_id', '=', callId).executeTakeFirst();
        return row && toOwnedCall(row);
      }),

    ofTurn: (ref, turn) =>
      query(context, async (db) => {
        const rows = await db
          .selectFrom('durascope_calls')
          .selectAll()
          .where('session', '=', sessionKey(ref))
          .where('turn', '=', turn)
          .orderBy('step')
          .orderBy('idx')
          .execute();
        return rows.map(toCall);
      }),

    open: (owner, page) =>
      query(context, async (db) => {
        const limit = pageLimit(page);
        const rows = await selectOwned(db, owner)
          // Spelled as in the partial index, with no parameters: SQLite uses it for nothing else.
          .where(sql<boolean>`durascope_calls.state in ('asking', 'submitted', 'uncertain')`)
          .$if(page.state !== undefined, (select) => select.where('durascope_calls.state', '=', page.state!))
          .where('durascope_calls.id', '>', numberCursor(page) ?? 0)
          .orderBy('durascope_calls.id')
          .limit(limit + 1)
          .execute();
        const paths = await pathsTo(
          db,
          rows.map(({ session }) => session),
        );
        const item = (row: (typeof rows)[number]) => {
          const path = paths.get(row.session);
          return { ...toOwnedCall(row), ...(path ? { path } : {}) };
        };
        return toPage(rows, limit, { item, key: (row) => [row.id] });
      }),

    countOpen: () =>
      query(context, async (db) => {
        const rows = await db
          .selectFrom('durascope_calls')
          .select(['state', (eb) => eb.fn.countAll<number | string>().as('count')])
          // Spelled as in the partial index, with no parameters: SQLite uses it for nothing else.
          .where(sql<boolean>`state in ('asking', 'submitted', 'uncertain')`)
          .groupBy('state')
          .execute();
        const counts = { asking: 0, submitted: 0, uncertain: 0 };
        return Object.assign(
          counts,
          Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)])),
        );
      }),

    openBelow: (ref) =>
      query(context, async (db) => {
        const rows = await db
          .selectFrom('durascope_lineage as l')
          .innerJoin('durascope_calls', 'durascope_calls.session', 'l.descendant')
          .innerJoin('durascope_sessions', 'durascope_sessions.id', 'l.descendant')
          .selectAll('durascope_calls')
          .select(['durascope_sessions.session_id', 'durascope_sessions.agent', 'l.path'])
          .where('l.ancestor', '=', sessionKey(ref))
          // Spelled as in the partial index, with no parameters: SQLite uses it for nothing else.
          .where(sql<boolean>`durascope_calls.state in ('asking', 'submitted', 'uncertain')`)
          .limit(openBelowLimit)
          .execute();
        return rows
          .toSorted((a, b) => a.id - b.id)
          .map(({ path, ...row }) => ({ ...toOwnedCall(row), path: JSON.parse(path) as string[] }));
      }),

    dispatch: (ref, callIds) =>
      write(context, ref, async (session) => {
        const before: CallRecord[] = [];
        for (const callId of callIds) {
          const row = await needCall(session, ref, callId);
          before.push(toCall(row));
          if (!isSettled(row)) await markDispatched(session, row);
        }
        return before;
      }),

    settle: (ref, callId, result, extra) =>
      write(context, ref, async (session) => {
        const row = await needCall(session, ref, callId);
        if (isSettled(row)) return toCall(row);
        // What was never marked has streamed nothing.
        if (extra?.begunAt === undefined || row.attempts > 0)
          await session.deleteEphemeral({ messageId: result.id });
        else session.appendEvent(row.turn, startOf(row), { at: extra.begunAt });
        session.keepEvents(row.turn, extra?.kept ?? []);
        const state = placeResult(session, row, result);
        for (const body of extra?.events ?? []) session.appendEvent(row.turn, body);
        // What was sealed has done its work.
        const { sealed: _, ...detail } = JSON.parse(row.detail) as CallDetail;
        if (extra?.audit) session.appendAudit({ turn: row.turn, callId, tool: detail.name }, extra.audit);
        return toCall(
          await updateCall(session, row, {
            state,
            is_dispatched: 0,
            ...(extra?.begunAt === undefined ? {} : { attempts: Math.max(row.attempts, 1) }),
            ended_at: session.now,
            detail: JSON.stringify({ ...detail, ...(extra?.usage ? { usage: extra.usage } : {}) }),
          }),
        );
      }),

    move: (ref, callId, change, extra) =>
      write(context, ref, async (session) => {
        const row = await needCall(session, ref, callId);
        const { isDispatched, state, ...written } = change;
        const detail = JSON.stringify({ ...(JSON.parse(row.detail) as CallDetail), ...written });
        const is_dispatched = isDispatched === undefined ? row.is_dispatched : Number(isDispatched);
        const isRepeat = state === row.state && detail === row.detail && is_dispatched === row.is_dispatched;
        if (isSettled(row) || isRepeat) return toCall(row);
        for (const body of extra?.events ?? []) session.appendEvent(row.turn, body);
        const { name } = JSON.parse(detail) as CallDetail;
        if (extra?.audit) session.appendAudit({ turn: row.turn, callId, tool: name }, extra.audit);
        return toCall(await updateCall(session, row, { state, is_dispatched, detail }));
      }),
  };
}

async function needCall(session: SessionWriter, ref: SessionRef, callId: string): Promise<CallRow> {
  const { trx } = session;
  const key = { owner: ref.owner, callId, session: session.session.id };
  const [row] = await runPrepared(trx, 'call of session', key, (values) =>
    trx
      .selectFrom('durascope_calls')
      .selectAll()
      .where('owner', '=', values.owner)
      .where('call_id', '=', values.callId)
      .where('session', '=', values.session),
  );
  if (!row)
    throw new NotInStoreError(`Call ${callId} of ${ref.owner}/${ref.sessionId}`, 'commit its step first');
  return row;
}

async function markDispatched(session: SessionWriter, row: CallRow): Promise<void> {
  session.appendEvent(row.turn, startOf(row));
  await updateCall(session, row, { is_dispatched: 1, attempts: row.attempts + 1 });
}

function startOf(row: CallRow): EventBody {
  return {
    kind: 'tool_result_start',
    messageId: resultMessageId(row.turn, row.step, row.call_id),
    callId: row.call_id,
    seq: row.seq,
    step: row.step,
    attempt: row.attempts + 1,
    name: (JSON.parse(row.detail) as CallDetail).name,
  };
}

async function updateCall(
  session: SessionWriter,
  row: CallRow,
  changes: Updateable<Database['durascope_calls']>,
): Promise<CallRow> {
  const { trx } = session;
  const shape = `change call ${Object.keys(changes).join()}`;
  await runPrepared(trx, shape, { ...changes, rowId: row.id }, ({ rowId, ...values }) =>
    trx.updateTable('durascope_calls').set(values).where('id', '=', rowId),
  );
  return { ...row, ...changes } as CallRow;
}

function selectOwned(db: Kysely<Database>, owner: string) {
  return db
    .selectFrom('durascope_calls')
    .innerJoin('durascope_sessions', 'durascope_sessions.id', 'durascope_calls.session')
    .selectAll('durascope_calls')
    .select(['durascope_sessions.session_id', 'durascope_sessions.agent'])
    .where('durascope_calls.owner', '=', owner);
}

/** The names that lead to these sessions from the topmost one above each; none for those that no session began. */
async function pathsTo(
  db: Kysely<Database>,
  sessions: readonly number[],
): Promise<ReadonlyMap<number, string[]>> {
  const paths = new Map<number, string[]>();
  if (sessions.length === 0) return paths;
  const rows = await db
    .selectFrom('durascope_lineage')
    .select(['descendant', 'path'])
    .where('descendant', 'in', [...new Set(sessions)])
    .execute();
  for (const row of rows) {
    const path = JSON.parse(row.path) as string[];
    if (path.length > (paths.get(row.descendant)?.length ?? 0)) paths.set(row.descendant, path);
  }
  return paths;
}
