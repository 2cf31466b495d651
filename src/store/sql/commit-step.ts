import { sql } from 'kysely';
import type { Kysely, RawBuilder } from 'kysely';
import { turnIdOf } from '../../contracts/ids.ts';
import type { EventBody } from '../../schema/event.ts';
import type { Msg } from '../../schema/message.ts';
import { TurnEndedError } from '../store-errors.ts';
import type { CallRecord, CallStore } from '../call-store.ts';
import { placeResult } from './call-results.ts';
import { newCallRow, toCall } from './call-row.ts';
import { messageColumns, toMessage } from './message-row.ts';
import type { Database } from './schema.ts';
import type { SessionWriter } from './session-writer.ts';

interface Step {
  message: Msg;
  calls: CallRecord[];
}

export async function commitStep(
  session: SessionWriter,
  input: Parameters<CallStore['commitStep']>[0],
): Promise<Step> {
  const { turn, step } = input.message;
  const committed = await stepOf(session.trx, session.session.id, turn, step);
  if (committed) return committed;
  await requireOpenTurn(session, turn);

  // Results keep their places whatever comes in while the tools run, so that each follows its call.
  const message = session.placeMessage(input.message, session.reserveSeqs(1 + input.calls.length));
  await session.deleteEphemeral({ messageId: message.id });
  session.keepEvents(
    turn,
    input.kept.map((event) => ({ ...event, body: atPlace(event.body, message) })),
  );
  for (const body of input.events) session.appendEvent(turn, atPlace(body, message));

  const rows = input.calls.map((call, index) => newCallRow(session, message, call, index));
  input.calls.forEach((call, index) => {
    const row = rows[index];
    if (row && call.result) placeResult(session, row, call.result);
    if (call.audit) session.appendAudit({ turn, callId: call.callId, tool: call.name }, call.audit);
  });
  if (input.contextFrom !== undefined) session.change({ context_from: input.contextFrom });
  return { message, calls: await insertCalls(session, rows) };
}

/** The committed message of a step with its calls. */
export async function stepOf(
  db: Kysely<Database>,
  session: number | RawBuilder<number>,
  turn: number,
  step: number,
): Promise<Step | undefined> {
  const message = await db
    .selectFrom('durascope_messages')
    .select(messageColumns)
    .where('session', '=', session)
    .where('turn', '=', turn)
    .where('step', '=', step)
    // Spelled as in the partial index, with no parameter: SQLite uses it for nothing else.
    .where(sql<boolean>`role = 'assistant'`)
    .executeTakeFirst();
  if (!message) return undefined;
  const calls = await db
    .selectFrom('durascope_calls')
    .selectAll()
    .where('session', '=', session)
    .where('turn', '=', turn)
    .where('step', '=', step)
    .orderBy('idx')
    .execute();
  return { message: toMessage(message), calls: calls.map(toCall) };
}

async function requireOpenTurn(session: SessionWriter, turn: number): Promise<void> {
  const ended = await session.trx
    .selectFrom('durascope_turns')
    .select('turn')
    .where('session', '=', session.session.id)
    .where('turn', '=', turn)
    .where('state', '=', 'ended')
    .executeTakeFirst();
  const { owner, session_id: sessionId } = session.session;
  if (ended) throw new TurnEndedError(turnIdOf({ owner, sessionId }, turn));
}

async function insertCalls(
  session: SessionWriter,
  rows: ReturnType<typeof newCallRow>[],
): Promise<CallRecord[]> {
  if (rows.length === 0) return [];
  const inserted = await session.trx.insertInto('durascope_calls').values(rows).returningAll().execute();
  return inserted.toSorted((a, b) => a.idx - b.idx).map(toCall);
}

/** The place was a guess while the message was streamed: a hint may have come in between. */
function atPlace(body: EventBody, message: Msg): EventBody {
  const isOfMessage = body.kind === 'model_call_start' && body.messageId === message.id;
  return isOfMessage ? { ...body, seq: message.seq } : body;
}
