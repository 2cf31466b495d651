import type { Transaction } from 'kysely';
import { narrowest } from '../../core/lineage.ts';
import type { Lineage, Relay } from '../../core/lineage.ts';
import { InvalidLineageError } from '../store-errors.ts';
import type { Database, LineageRow, SessionRow } from './schema.ts';
import type { SessionWriter } from './session-writer.ts';

/** A session of a tree as seen from one end of a path. */
interface Node {
  id: number;
  depth: number;
  path: string[];
  relay: Relay;
}

/** What a session's own row tells of its lineage. */
export function lineageColumns(lineage: Lineage | undefined): Pick<SessionRow, 'lineage' | 'is_child'> {
  return {
    lineage: lineage ? JSON.stringify(lineage) : null,
    // One that was invited was there before, and stays in the list.
    is_child: lineage && lineage.kind !== 'invited' ? 1 : 0,
  };
}

/** Hangs a new session, which has nothing below it, under its parent. The parent's row is held. */
export async function attach(
  trx: Transaction<Database>,
  session: number,
  lineage: Lineage,
  parent: number,
): Promise<void> {
  await insertLinks(trx, await above(trx, parent), lineage, [leaf(session)]);
}

/** Hangs a session, with all that is below it, under another parent. The parent's row is held, and so is the session's. */
export async function move(
  session: SessionWriter,
  to: { lineage: Lineage; parent: number } | undefined,
): Promise<void> {
  const { trx } = session;
  const { id } = session.session;
  const below = [leaf(id), ...(await belowOf(trx, id))];
  const parents = to ? await above(trx, to.parent) : [];
  if (to && parents.some((parent) => parent.id === id)) {
    const { owner, session_id: sessionId } = session.session;
    throw new InvalidLineageError({ owner, sessionId }, to.lineage.parent);
  }
  for (const node of below)
    await trx
      .deleteFrom('durascope_lineage')
      .where('descendant', '=', node.id)
      .where('depth', '>', node.depth)
      .execute();
  if (to) await insertLinks(trx, parents, to.lineage, below);
}

/** The session itself and all above it; what leads from each of them to it. */
async function above(trx: Transaction<Database>, session: number): Promise<Node[]> {
  const rows = await trx
    .selectFrom('durascope_lineage')
    .selectAll()
    .where('descendant', '=', session)
    .orderBy('depth')
    .execute();
  return [leaf(session), ...rows.map((row) => toNode(row.ancestor, row))];
}

async function belowOf(trx: Transaction<Database>, session: number): Promise<Node[]> {
  const rows = await trx
    .selectFrom('durascope_lineage')
    .selectAll()
    .where('ancestor', '=', session)
    .orderBy('depth')
    .orderBy('descendant')
    .execute();
  return rows.map((row) => toNode(row.descendant, row));
}

function leaf(id: number): Node {
  return { id, depth: 0, path: [], relay: 'all' };
}

function toNode(id: number, row: LineageRow): Node {
  return { id, depth: row.depth, path: JSON.parse(row.path) as string[], relay: row.relay };
}

async function insertLinks(
  trx: Transaction<Database>,
  parents: readonly Node[],
  { name, relay }: Lineage,
  below: readonly Node[],
): Promise<void> {
  for (const node of below)
    await trx
      .insertInto('durascope_lineage')
      .values(
        parents.map((parent) => ({
          descendant: node.id,
          ancestor: parent.id,
          depth: parent.depth + 1 + node.depth,
          path: JSON.stringify([...parent.path, name, ...node.path]),
          relay: narrowest(parent.relay, relay, node.relay),
        })),
      )
      .execute();
}
