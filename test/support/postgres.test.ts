import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres, startPostgres } from './postgres.ts';
import type { TestPostgres } from './postgres.ts';

describe.skipIf(!hasPostgres())('startPostgres', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  it('gives each suite an empty database of its own', async () => {
    const [one, two] = [await postgres.createDatabase(), await postgres.createDatabase()];
    await query(one, 'create table kept (id int)');
    await expect(query(two, 'select * from kept')).rejects.toThrow('does not exist');
  });

  it('keeps what was committed over a restart and over a crash', async () => {
    const url = await postgres.createDatabase();
    await query(url, 'create table kept (id int)');
    await query(url, 'insert into kept values (1)');
    await postgres.restart();
    await query(url, 'insert into kept values (2)');
    await postgres.crash();
    await expect(query(url, 'select 1')).rejects.toThrow('ECONNREFUSED');
    await postgres.restart();
    expect(await query(url, 'select id from kept order by id')).toEqual([{ id: 1 }, { id: 2 }]);
  });
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
