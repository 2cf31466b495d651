import { InvalidPageError } from '../store-errors.ts';
import type { Page, PageRequest } from '../store.ts';

const defaultLimit = 50;
const maxLimit = 200;

export function pageLimit({ limit = defaultLimit }: PageRequest): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= maxLimit) return limit;
  throw new InvalidPageError(`limit is ${limit}: it must be a whole number from 1 to ${maxLimit}`);
}

/** Keyset cursors hold the sort key of the last row, so that a page costs the same wherever it starts. */
export function toPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  of: { item: (row: Row) => Item; key: (row: Row) => (string | number)[] },
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const items = shown.map(of.item);
  if (rows.length <= limit || last === undefined) return { items };
  return { items, nextCursor: Buffer.from(JSON.stringify(of.key(last))).toString('base64url') };
}

/** The sort key in a cursor that is one number. */
export function numberCursor({ cursor }: PageRequest): number | undefined {
  if (cursor === undefined) return undefined;
  const [value, ...rest] = decode(cursor);
  if (Number.isSafeInteger(value) && rest.length === 0) return value as number;
  throw unknownCursor();
}

/** The sort key in a cursor that is a time and a number. */
export function timeCursor({ cursor }: PageRequest): [at: string, id: number] | undefined {
  if (cursor === undefined) return undefined;
  const [at, id, ...rest] = decode(cursor);
  if (typeof at === 'string' && /^[\dT:.Z-]+$/.test(at) && Number.isSafeInteger(id) && rest.length === 0)
    return [at, id as number];
  throw unknownCursor();
}

function decode(cursor: string): unknown[] {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(key)) return key;
  } catch {
    // Not JSON: the answer below says so.
  }
  throw unknownCursor();
}

function unknownCursor(): InvalidPageError {
  return new InvalidPageError(
    'cursor is none that this list gave: pass its nextCursor unchanged, or leave it out',
  );
}
