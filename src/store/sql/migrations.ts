import { CompiledQuery } from 'kysely';
import type { Kysely, Transaction } from 'kysely';
import type { Database } from './schema.ts';
import type { SqlDialect } from './sql-context.ts';

/** Statements of one version, in the dialect's words. A released migration never changes: write the next one. */
type Migration = (dialect: SqlDialect) => string[];

const migrations: Record<string, Migration> = {
  '0001_ground': (dialect) => {
    const identity =
      dialect === 'sqlite' ? 'integer primary key' : 'bigint generated always as identity primary key';
    const key = dialect === 'sqlite' ? 'integer' : 'bigint';
    const session = `${key} not null references durascope_sessions (id) on delete cascade`;
    // Keyset pages compare in byte order, whatever the locale of the database.
    const sorted = dialect === 'sqlite' ? 'text' : 'text collate "C"';
    return [
      `create table durascope_sessions (
        id ${identity}, owner text not null, session_id text not null, agent text not null, state text not null,
        head integer not null, context_from integer not null, excluded_turns text not null, last_event_id integer not null, last_turn integer not null,
        created_at text not null, updated_at ${sorted} not null, usage text not null, control text not null,
        unique (owner, session_id))`,
      `create index durascope_sessions_newest on durascope_sessions (owner, updated_at, id)`,
      `create index durascope_sessions_newest_of_agent on durascope_sessions (owner, agent, updated_at, id)`,
      `create index durascope_sessions_newest_in_state on durascope_sessions (owner, state, updated_at, id)`,

      `create table durascope_turns (
        session ${session}, turn integer not null, input_id text not null, agent text not null, revision text not null,
        state text not null, finish_reason text, reply_message_id text, started_at text not null, ended_at text,
        usage text not null, error text,
        primary key (session, turn), unique (session, input_id))`,

      `create table durascope_messages (
        session ${session}, seq integer not null, id text not null, turn integer not null, step integer not null,
        role text not null, tokens integer not null, detail text not null, content text not null,
        primary key (session, seq), unique (session, id))`,
      `create unique index durascope_messages_step on durascope_messages (session, turn, step) where role = 'assistant'`,

      `create table durascope_calls (
        id ${identity}, session ${session}, owner text not null, call_id text not null, turn integer not null,
        step integer not null, idx integer not null, seq integer not null, message_id text not null, state text not null,
        is_dispatched integer not null, attempts integer not null, created_at text not null, ended_at text,
        detail text not null,
        unique (session, turn, step, idx))`,
      `create unique index durascope_calls_id on durascope_calls (owner, call_id, session)`,
      `create index durascope_calls_waiting on durascope_calls (owner, id)
        where state in ('asking', 'submitted', 'uncertain')`,

      `create table durascope_events (
        session ${session}, id integer not null, turn integer not null, at text not null, ephemeral_of text,
        message_seq integer, cuts text, body text not null,
        primary key (session, id))`,
      `create index durascope_events_ephemeral on durascope_events (session, ephemeral_of) where ephemeral_of is not null`,

      `create table durascope_blobs (
        owner text not null, session_id text not null, id text not null, parts text not null,
        primary key (owner, session_id, id))`,
    ];
  },
  '0002_permissions': (dialect) => {
    const identity =
      dialect === 'sqlite' ? 'integer primary key' : 'bigint generated always as identity primary key';
    const key = dialect === 'sqlite' ? 'integer' : 'bigint';
    return [
      `alter table durascope_sessions add column permissions text not null default '{"rules":[]}'`,
      `create table durascope_audit (
        id ${identity}, session ${key} not null references durascope_sessions (id) on delete cascade,
        turn integer not null, call_id text not null, at text not null, entry text not null)`,
      `create index durascope_audit_of_session on durascope_audit (session, id)`,
      `create index durascope_audit_of_call on durascope_audit (session, call_id, id)`,
    ];
  },
  '0003_slots': (dialect) => [
    `create table durascope_slots (
      session ${dialect === 'sqlite' ? 'integer' : 'bigint'} not null references durascope_sessions (id) on delete cascade,
      name text not null, value text not null, primary key (session, name))`,
  ],
  '0004_lineage': (dialect) => {
    const key = dialect === 'sqlite' ? 'integer' : 'bigint';
    const session = `${key} not null references durascope_sessions (id) on delete cascade`;
    return [
      `alter table durascope_sessions add column lineage text`,
      `alter table durascope_sessions add column is_child integer not null default 0`,
      `create table durascope_lineage (
        descendant ${session}, depth integer not null, ancestor ${session}, path text not null, relay text not null,
        primary key (descendant, depth))`,
      `create index durascope_lineage_below on durascope_lineage (ancestor, depth, descendant)`,
      `create index durascope_calls_waiting_of_session on durascope_calls (session)
        where state in ('asking', 'submitted', 'uncertain')`,

      // Lists show what stands at the top: a session's many children must not be passed over one by one.
      `drop index durascope_sessions_newest`,
      `drop index durascope_sessions_newest_of_agent`,
      `drop index durascope_sessions_newest_in_state`,
      `create index durascope_sessions_top on durascope_sessions (owner, updated_at, id) where is_child = 0`,
      `create index durascope_sessions_top_of_agent on durascope_sessions (owner, agent, updated_at, id) where is_child = 0`,
      `create index durascope_sessions_top_in_state on durascope_sessions (owner, state, updated_at, id) where is_child = 0`,

      `alter table durascope_events add column origin ${key} references durascope_sessions (id) on delete cascade`,
      `alter table durascope_events add column origin_id integer`,
      `alter table durascope_events add column path text`,
      `create index durascope_events_origin on durascope_events (origin) where origin is not null`,
    ];
  },
  '0005_runs': () => [`alter table durascope_turns add column run integer not null default 1`],
  '0006_secrets': () => [
    `create table durascope_secrets (owner text not null, name text not null, sealed text not null, primary key (owner, name))`,
  ],
  '0007_metadata': () => [`alter table durascope_sessions add column metadata text not null default '{}'`],
  '0008_service': (dialect) => {
    const identity =
      dialect === 'sqlite' ? 'integer primary key' : 'bigint generated always as identity primary key';
    const count = `${dialect === 'sqlite' ? 'integer' : 'bigint'} not null`;
    return [
      `create table durascope_api_keys (
        num ${identity}, id text not null unique, owner text not null, hash text not null, created_at text not null,
        expires_at text, revoked_at text, last_used_at text, detail text not null)`,
      `create index durascope_api_keys_of_owner on durascope_api_keys (owner, num)`,
      `create table durascope_usage (
        owner text not null, day text not null, agent text not null, turns ${count}, input_tokens ${count},
        output_tokens ${count}, cached_input_tokens ${count}, reasoning_tokens ${count},
        primary key (owner, day, agent))`,
    ];
  },
  // A session of before may have a workflow that runs.
  '0009_claims': () => [`alter table durascope_sessions add column is_claimed integer not null default 1`],
};

/** Any fixed number that no other program on the same database is likely to choose. */
const advisoryLock = 7_285_336_301;

/** Brings the tables up to date, in one transaction under a lock: processes that open at once wait for each other. */
export async function migrate(db: Kysely<Database>, dialect: SqlDialect): Promise<void> {
  await db.transaction().execute(async (trx) => {
    if (dialect === 'postgres') await run(trx, `select pg_advisory_xact_lock(${advisoryLock})`);
    await run(
      trx,
      'create table if not exists durascope_migrations (name text primary key, at text not null)',
    );
    const done = await run<{ name: string }>(trx, 'select name from durascope_migrations');
    const names = new Set(done.map((row) => row.name));
    refuseNewer(names);
    for (const [name, statements] of Object.entries(migrations)) {
      if (names.has(name)) continue;
      for (const statement of statements(dialect)) await run(trx, statement);
      await run(
        trx,
        `insert into durascope_migrations (name, at) values ('${name}', '${new Date().toISOString()}')`,
      );
    }
  });
}

/** An older program must not write into tables whose meaning it does not know. */
function refuseNewer(names: Set<string>): void {
  const unknown = [...names].filter((name) => !(name in migrations));
  if (unknown.length === 0) return;
  throw new Error(
    `The store was migrated by a newer durascope (${unknown.join(', ')}): upgrade this one, or point DURASCOPE_STORE elsewhere`,
  );
}

async function run<Row>(trx: Transaction<Database>, statement: string): Promise<Row[]> {
  const { rows } = await trx.executeQuery<Row>(CompiledQuery.raw(statement));
  return rows;
}
