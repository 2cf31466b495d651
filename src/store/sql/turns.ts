import type { SessionRef } from '../../contracts/ids.ts';
import { turnIdOf } from '../../contracts/ids.ts';
import type { SessionControl, TurnError } from '../../contracts/inputs.ts';
import { addUsage, noUsage } from '../../core/usage.ts';
import type { EventBody } from '../../schema/event.ts';
import type { Usage } from '../../schema/message.ts';
import { NotInStoreError } from '../store-errors.ts';
import type { TurnRecord, TurnStore } from '../store.ts';
import { sealedAnswersId } from '../../core/message-ids.ts';
import { removeBlobs } from './blobs.ts';
import { interruptOpenCalls } from './call-results.ts';
import { appendMessages } from './messages.ts';
import { numberCursor, pageLimit, toPage } from './page.ts';
import type { TurnRow } from './schema.ts';
import type { SessionWriter } from './session-writer.ts';
import { sessionKey } from './sessions.ts';
import { query, write } from './sql-context.ts';
import { addToDay } from './usage.ts';
import type { SqlContext } from './sql-context.ts';

export function sqlTurns(context: SqlContext): TurnStore {
  return {
    open: (input) =>
      write(context, input.ref, async (session) => {
        takeOut(session, input);
        const known = await findTurn(session, input.turn, input.inputId);
        if (known) return toTurn(input.ref, known);
        await appendMessages(session, [input.message]);
        const row: TurnRow = {
          session: session.session.id,
          turn: input.turn,
          input_id: input.inputId,
          agent: input.agent,
          revision: input.revision,
          run: newestRun(input.events) ?? 1,
          state: 'running',
          finish_reason: null,
          reply_message_id: null,
          started_at: session.now,
          ended_at: null,
          usage: JSON.stringify(noUsage),
          error: null,
        };
        await session.trx.insertInto('durascope_turns').values(row).execute();
        for (const body of input.events) session.appendEvent(input.turn, body);
        session.changeState(input.turn, 'running');
        return toTurn(input.ref, row);
      }),

    get: (ref, turn) =>
      query(context, async (db) => {
        const row = await db
          .selectFrom('durascope_turns')
          .selectAll()
          .where('session', '=', sessionKey(ref))
          .where('turn', '=', turn)
          .executeTakeFirst();
        return row && toTurn(ref, row);
      }),

    ofInput: (ref, inputId) =>
      query(context, async (db) => {
        const row = await db
          .selectFrom('durascope_turns')
          .selectAll()
          .where('session', '=', sessionKey(ref))
          .where('input_id', '=', inputId)
          .executeTakeFirst();
        return row && toTurn(ref, row);
      }),

    list: (ref, page) =>
      query(context, async (db) => {
        const limit = pageLimit(page);
        const before = numberCursor(page);
        const rows = await db
          .selectFrom('durascope_turns')
          .selectAll()
          .where('session', '=', sessionKey(ref))
          .$if(before !== undefined, (select) => select.where('turn', '<', before!))
          .orderBy('turn', 'desc')
          .limit(limit + 1)
          .execute();
        return toPage(rows, limit, { item: (row) => toTurn(ref, row), key: (row) => [row.turn] });
      }),

    recentInputs: (ref, limit) =>
      query(context, async (db) => {
        const rows = await db
          .selectFrom('durascope_turns')
          .select(['input_id', 'turn'])
          .where('session', '=', sessionKey(ref))
          .orderBy('turn', 'desc')
          .limit(limit)
          .execute();
        return rows.toReversed().map((row) => ({ inputId: row.input_id, turn: row.turn }));
      }),

    setState: (ref, turn, state, events) =>
      write(context, ref, async (session) => {
        const row = await needTurn(session, turn);
        if (row.state === 'ended' || row.state === state) return;
        await session.trx
          .updateTable('durascope_turns')
          .set({ state, run: newestRun(events) ?? row.run })
          .where('session', '=', session.session.id)
          .where('turn', '=', turn)
          .execute();
        for (const body of events) session.appendEvent(turn, body);
        session.changeState(turn, state);
      }),

    close: (input) =>
      write(context, input.ref, async (session) => {
        const row = await needTurn(session, input.turn);
        if (row.state === 'ended') return toTurn(input.ref, row);
        await session.deleteEphemeral({ turn: input.turn });
        await interruptOpenCalls(session, input.turn, input.danglingResult);
        await removeBlobs(session.trx, input.ref, sealedAnswersId(input.turn));
        for (const body of input.events) session.appendEvent(input.turn, body);
        const ended: TurnRow = {
          ...row,
          state: 'ended',
          finish_reason: input.finishReason,
          reply_message_id: input.replyMessageId ?? null,
          ended_at: session.now,
          usage: JSON.stringify(input.usage),
          error: input.error ? JSON.stringify(input.error) : null,
        };
        await session.trx
          .updateTable('durascope_turns')
          .set(ended)
          .where('session', '=', session.session.id)
          .where('turn', '=', input.turn)
          .execute();
        const usage = addUsage(JSON.parse(session.session.usage) as Usage, input.usage);
        session.change({ usage: JSON.stringify(usage) });
        await addToDay(session, row.agent, input.usage);
        if (input.isExcluded) {
          const excluded = JSON.parse(session.session.excluded_turns) as number[];
          session.change({ excluded_turns: JSON.stringify([...excluded, input.turn]) });
        }
        session.changeState(input.turn, 'idle');
        return toTurn(input.ref, ended);
      }),
  };
}

/** An input that waited in the session's control waits no more. */
function takeOut(session: SessionWriter, { turn, inputId }: { turn: number; inputId: string }): void {
  const control = JSON.parse(session.session.control) as SessionControl;
  const queue = control.queue.filter((queued) => queued.turn !== turn && queued.inputId !== inputId);
  if (queue.length < control.queue.length) session.change({ control: JSON.stringify({ ...control, queue }) });
}

/** The turn of this number, else the one that this input became. */
async function findTurn(session: SessionWriter, turn: number, inputId: string): Promise<TurnRow | undefined> {
  const rows = await session.trx
    .selectFrom('durascope_turns')
    .selectAll()
    .where('session', '=', session.session.id)
    .where((where) => where.or([where('turn', '=', turn), where('input_id', '=', inputId)]))
    .execute();
  return rows.find((row) => row.turn === turn) ?? rows[0];
}

async function needTurn(session: SessionWriter, turn: number): Promise<TurnRow> {
  const row = await session.trx
    .selectFrom('durascope_turns')
    .selectAll()
    .where('session', '=', session.session.id)
    .where('turn', '=', turn)
    .executeTakeFirst();
  const { owner, session_id: sessionId } = session.session;
  if (!row) throw new NotInStoreError(turnIdOf({ owner, sessionId }, turn), 'open it first (turns.open)');
  return row;
}

function newestRun(events: readonly EventBody[]): number | undefined {
  return events.findLast((body) => body.kind === 'run_start')?.run;
}

function toTurn(ref: SessionRef, row: TurnRow): TurnRecord {
  return {
    turn: row.turn,
    turnId: turnIdOf(ref, row.turn),
    inputId: row.input_id,
    agent: row.agent,
    revision: row.revision,
    run: row.run,
    state: row.state,
    ...(row.finish_reason === null ? {} : { finishReason: row.finish_reason }),
    ...(row.reply_message_id === null ? {} : { replyMessageId: row.reply_message_id }),
    usage: JSON.parse(row.usage) as Usage,
    ...(row.error === null ? {} : { error: JSON.parse(row.error) as TurnError }),
    startedAt: row.started_at,
    ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
  };
}
