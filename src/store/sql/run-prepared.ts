import type { CompiledQuery, Kysely } from 'kysely';
import type { Database } from './schema.ts';

/** Stands in a query for a value that is given when it runs. */
class Place {
  readonly key: string;
  constructor(key: string) {
    this.key = key;
  }
}

/** By what Kysely has once for a database, its transactions included. */
const compiled = new WeakMap<object, Map<string, CompiledQuery>>();

/**
 * Runs a query that is built and compiled the first time alone: that takes longer than to run it. For the few that every step needs.
 *
 * @param shape tells queries apart whose text differs
 * @param build must use `values` for nothing but values of the query
 */
export async function runPrepared<Values extends Record<string, unknown>, Row>(
  db: Kysely<Database>,
  shape: string,
  values: Values,
  build: (values: Values) => { compile(): CompiledQuery<Row> },
): Promise<Row[]> {
  const { adapter } = db.getExecutor();
  const known = compiled.get(adapter) ?? new Map<string, CompiledQuery>();
  compiled.set(adapter, known);
  let query = known.get(shape);
  if (!query) {
    const places = Object.fromEntries(Object.keys(values).map((key) => [key, new Place(key)]));
    query = build(places as Values).compile();
    known.set(shape, query);
  }
  const parameters = query.parameters.map((value) => (value instanceof Place ? values[value.key] : value));
  const { rows } = await db.executeQuery<Row>({ ...(query as CompiledQuery<Row>), parameters });
  return rows;
}
