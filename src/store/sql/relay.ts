import type { Transaction } from 'kysely';
import type { SessionRef } from '../../contracts/ids.ts';
import { renumbered } from '../../core/compact-events.ts';
import type { KeptEvent } from '../../core/compact-events.ts';
import { isRelayed } from '../../core/lineage.ts';
import type { EventBody } from '../../schema/event.ts';
import type { Database, LineageRow, NewEvent } from './schema.ts';
import { insertEvents } from './session-writer.ts';
import type { EphemeralOf, EventStamp, LogChanges, SessionWriter } from './session-writer.ts';
import type { SqlDialect } from './sql-context.ts';

/**
 * Brings into the logs of a session's ancestors what they see of its own, in the session's transaction. Their rows are locked from below
 * upwards, after the session's: no two writers wait for each other in a circle.
 *
 * @returns the ancestors whose log changed.
 */
export async function relay(dialect: SqlDialect, session: SessionWriter): Promise<SessionRef[]> {
  const { log } = session;
  const { id, owner, lineage } = session.session;
  if (lineage === null || !hasChanges(log)) return [];
  const links = await session.trx
    .selectFrom('durascope_lineage')
    .selectAll()
    .where('descendant', '=', id)
    .orderBy('depth')
    .execute();
  const reached: SessionRef[] = [];
  for (const link of links) {
    const seen = seenThrough(link, log);
    if (!hasChanges(seen)) continue;
    const sessionId = await new Copies(session, link, seen).write(dialect);
    reached.push({ owner, sessionId });
  }
  return reached;
}

function hasChanges({ deleted, kept, appended }: LogChanges): boolean {
  return deleted.length + kept.length + appended.length > 0;
}

function seenThrough({ relay }: LineageRow, log: LogChanges): LogChanges {
  if (relay === 'all') return log;
  // What is streamed stays below.
  const appended = log.appended.filter(
    ({ kind, row }) => row.ephemeral_of === null && isRelayed(relay, kind),
  );
  return { deleted: [], kept: [], appended };
}

/** The copies that one ancestor gets. */
class Copies {
  readonly #trx: Transaction<Database>;
  readonly #link: LineageRow;
  readonly #log: LogChanges;
  #lastId = 0;

  constructor(session: SessionWriter, link: LineageRow, log: LogChanges) {
    this.#trx = session.trx;
    this.#link = link;
    this.#log = log;
  }

  async write(dialect: SqlDialect): Promise<string> {
    const { ancestor } = this.#link;
    const { last_event_id: before, session_id: sessionId } = await this.#trx
      .selectFrom('durascope_sessions')
      .select(['last_event_id', 'session_id'])
      .where('id', '=', ancestor)
      .$if(dialect === 'postgres', (builder) => builder.forNoKeyUpdate())
      .executeTakeFirstOrThrow();
    this.#lastId = before;

    const streamed = new Map<number, EventStamp>();
    for (const of of this.#log.deleted) await this.#takeBack(of, streamed);
    const copies = [
      ...this.#keep(streamed),
      ...this.#log.appended.map(({ row }) => this.#copy(row, this.#nextId())),
    ];
    await insertEvents(this.#trx, copies);
    if (this.#lastId > before)
      await this.#trx
        .updateTable('durascope_sessions')
        .set({ last_event_id: this.#lastId })
        .where('id', '=', ancestor)
        .execute();
    return sessionId;
  }

  /** @param streamed gets the places that the copies have here, by the ids that the events had there. */
  async #takeBack(of: EphemeralOf, streamed: Map<number, EventStamp>): Promise<void> {
    const rows = await this.#trx
      .deleteFrom('durascope_events')
      .where('session', '=', this.#link.ancestor)
      .where('ephemeral_of', 'is not', null)
      .where('origin', '=', this.#link.descendant)
      .where((where) =>
        'turn' in of ? where('turn', '=', of.turn) : where('ephemeral_of', '=', of.messageId),
      )
      .returning(['id', 'at', 'origin_id'])
      .execute();
    for (const { id, at, origin_id } of rows) if (origin_id !== null) streamed.set(origin_id, { id, at });
  }

  /**
   * What was streamed stays under the ids that it was streamed with. Where some of it never came here, because the lineage is younger, all
   * is told again: its beginning supersedes what came.
   */
  #keep(streamed: ReadonlyMap<number, EventStamp>): NewEvent[] {
    const { kept } = this.#log;
    const isWhole = kept.every(
      (row) => streamed.has(row.id) && cutsOf(row).every(([id]) => streamed.has(id)),
    );
    if (!isWhole) return kept.map((row) => this.#copy({ ...row, cuts: null }, this.#nextId()));
    return kept.flatMap((row) => {
      const event = { id: row.id, at: row.at, body: JSON.parse(row.body) as EventBody, cuts: cutsOf(row) };
      return renumbered(event, (id) => streamed.get(id) ?? event).map(({ id, at, body, cuts }) => ({
        ...this.#copy(row, id),
        at,
        body: JSON.stringify(body),
        cuts: cuts ? JSON.stringify(cuts) : null,
      }));
    });
  }

  #copy(row: NewEvent, id: number): NewEvent {
    const { ancestor, descendant, path } = this.#link;
    return { ...row, session: ancestor, id, origin: descendant, origin_id: row.id, path };
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }
}

function cutsOf({ cuts }: NewEvent): NonNullable<KeptEvent['cuts']> {
  return typeof cuts === 'string' ? (JSON.parse(cuts) as NonNullable<KeptEvent['cuts']>) : [];
}
