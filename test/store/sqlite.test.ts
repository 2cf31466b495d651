import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import type { OpenStore } from '../../src/store/open-store.ts';
import { openSqliteFile } from '../../src/store/sqlite.ts';
import { openedTurn } from './sample-session.ts';
import { storeContract } from './store-contract.ts';

describe('in memory', () => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await openStore('sqlite::memory:');
  });
  afterAll(() => opened.close());
  storeContract('SQLite in memory', () => ({ opened }));
});

describe('in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'durascope-store-'));
  const path = join(folder, 'missing', 'folders', 'store.db');
  const url = `sqlite:${path}`;
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await openStore(url);
  });
  afterAll(async () => {
    await opened.close();
    rmSync(folder, { recursive: true });
  });
  storeContract('SQLite in a file', () => ({ opened, openAgain: () => openStore(url) }));

  it('is readable by its owner alone, with its log, and keeps no trace of what was deleted', async () => {
    const ref = await openedTurn(opened.store);
    await opened.store.slots.update(ref, 'secret', () => ({ value: 'hunter2-'.repeat(20) }));
    for (const file of readdirSync(dirname(path)))
      expect([file, (statSync(join(dirname(path), file)).mode & 0o077).toString(8)]).toEqual([file, '0']);
    await opened.store.slots.update(ref, 'secret', () => ({ value: undefined }));
    const database = openSqliteFile(path);
    database.exec('pragma wal_checkpoint(truncate)');
    database.close();
    expect(readFileSync(path, 'latin1')).not.toContain('hunter2-');
  });

  it('is migrated once by processes that open it at once', async () => {
    const fresh = `sqlite:${join(folder, 'fresh.db')}`;
    const stores = await Promise.all([1, 2, 3, 4].map(() => openStore(fresh)));
    const ref = await openedTurn(stores[0]!.store);
    expect(await stores[3]!.store.sessions.get(ref)).toMatchObject({ head: 1 });
    for (const store of stores) await store.close();
  });

  it('keeps what was committed when it is opened again', async () => {
    const again = await openStore(url);
    const ref = await openedTurn(again.store);
    await again.close();
    expect(await opened.store.turns.get(ref, 1)).toMatchObject({ state: 'running' });
  });

  it('is free again when a writer dies in the middle of a transaction, and nothing of it stays', async () => {
    const ref = await openedTurn(opened.store);
    const script = `
      const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
      const database = new DatabaseSync(process.argv[1]);
      database.exec("begin immediate; update durascope_sessions set head = 99, agent = 'half-written'");
      console.log('holds the lock');
      setInterval(() => {}, 1_000);`;
    const writer = spawn(process.execPath, ['-e', script, path], { stdio: ['ignore', 'pipe', 'ignore'] });
    await once(writer.stdout, 'data');
    const waiting = opened.store.events.appendDurable(ref, 1, [{ kind: 'interrupted', reason: 'x' }]);
    writer.kill('SIGKILL');
    expect(await waiting).toMatchObject([{ id: 4 }]);
    expect(await opened.store.sessions.get(ref)).toMatchObject({ head: 1, agent: 'support' });
  });
});
