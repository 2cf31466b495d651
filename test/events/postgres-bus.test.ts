import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { followEvents } from '../../src/events/follow.ts';
import { PostgresBus } from '../../src/events/postgres-bus.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { OpenStore } from '../../src/store/open-store.ts';
import { hasPostgres, startPostgres } from '../support/postgres.ts';
import type { TestPostgres } from '../support/postgres.ts';
import { newRef, openedTurn } from '../store/sample-session.ts';
import { busContract } from './bus-contract.ts';
import { listenTo } from './listen.ts';
import { writeFromAnotherProcess } from './other-process.ts';

describe.skipIf(!hasPostgres())('on a PostgreSQL server', () => {
  let postgres: TestPostgres;
  let url: string;
  let opened: OpenStore;
  let other: PostgresBus;
  beforeAll(async () => {
    postgres = await startPostgres();
    url = await postgres.createDatabase();
    opened = await openStore(url);
    other = new PostgresBus(url);
  });
  afterAll(async () => {
    await other.close();
    await opened.close();
    await postgres.stop();
  });
  busContract('PostgreSQL', () => opened.bus);

  it('wakes subscribers in another process', async () => {
    const ref = newRef();
    const listener = await listenTo(other, ref);
    opened.bus.wake(ref);
    await listener.woken();
    listener.unsubscribe();
  });

  it('tells what was woken before it closes, though it has just been opened', async () => {
    const ref = newRef();
    const listener = await listenTo(other, ref);
    // Once this one listens, only the wake itself can ring it.
    opened.bus.wake(ref);
    await listener.woken();
    const brief = new PostgresBus(url);
    brief.wake(ref);
    await brief.close();
    await listener.woken();
    listener.unsubscribe();
  });

  it('brings what a second process writes to a follower, in order, without gap or repeat', async () => {
    const ref = await openedTurn(opened.store);
    const stop = new AbortController();
    const ids: number[] = [];
    const writing = writeFromAnotherProcess(url, ref, 50);
    for await (const { id } of followEvents(opened.store, opened.bus, ref, {
      after: 3,
      signal: stop.signal,
    })) {
      ids.push(id);
      if (ids.length === 50) stop.abort();
    }
    await writing;
    expect(ids).toEqual(Array.from({ length: 50 }, (_, i) => i + 4));
  });

  it('comes back when its connection breaks, and wakes everybody for what they may have missed', async () => {
    const ref = newRef();
    const listener = await listenTo(other, ref);
    opened.bus.wake(ref);
    await listener.woken();
    await endListeners(url);
    await listener.woken();
    opened.bus.wake(ref);
    await listener.woken();
    listener.unsubscribe();
  });

  it('outlasts a crash of the server: followers go on with what is written after it', async () => {
    const ref = await openedTurn(opened.store);
    const stop = new AbortController();
    const reasons: string[] = [];
    const following = (async () => {
      const events = followEvents(opened.store, opened.bus, ref, { after: 3, signal: stop.signal });
      for await (const event of events) {
        if (event.kind === 'interrupted') reasons.push(event.reason);
        if (reasons.length === 2) stop.abort();
      }
    })();
    await opened.store.events.appendDurable(ref, 1, [{ kind: 'interrupted', reason: 'before' }]);
    await postgres.crash();
    await postgres.restart();
    const second = await openStore(url);
    await second.store.events.appendDurable(ref, 1, [{ kind: 'interrupted', reason: 'after' }]);
    await following;
    await second.close();
    expect(reasons).toEqual(['before', 'after']);
  });

  it('may be woken and closed while there is no server, and keeps nobody waiting', async () => {
    const bus = new PostgresBus('postgres://postgres@127.0.0.1:1/nowhere');
    const ref = newRef();
    const listener = await listenTo(bus, ref);
    bus.wake(ref);
    await listener.woken();
    await bus.close();
  });
});

async function endListeners(url: string): Promise<void> {
  const admin = new Client({ connectionString: url });
  await admin.connect();
  await admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'durascope bus'`,
  );
  await admin.end();
}
