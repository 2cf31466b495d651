import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { followEvents } from '../../src/events/follow.ts';
import { LocalBus } from '../../src/events/local-bus.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { OpenStore } from '../../src/store/open-store.ts';
import { newRef, openedTurn } from '../store/sample-session.ts';
import { busContract } from './bus-contract.ts';
import { listenTo } from './listen.ts';
import { writeFromAnotherProcess } from './other-process.ts';

const local = new LocalBus();
busContract('one process', () => local);

describe('on a SQLite file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'durascope-bus-'));
  const url = `sqlite:${join(folder, 'store.db')}`;
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await openStore(url);
  });
  afterAll(async () => {
    await opened.close();
    rmSync(folder, { recursive: true });
  });
  busContract('a SQLite file', () => opened.bus);

  it('is rung by each write of the store, after its commit', async () => {
    const ref = newRef();
    await opened.store.sessions.open(ref, 'support');
    const listener = await listenTo(opened.bus, ref);
    const writing = openedTurn(opened.store, ref);
    await listener.woken();
    expect(await opened.store.events.read(ref, 0)).toHaveLength(3);
    await writing;
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

  it('wakes by the writes of others only those whose session got events', async () => {
    const ref = await openedTurn(opened.store);
    const quiet = await openedTurn(opened.store);
    const [listener, other] = [await listenTo(opened.bus, ref), await listenTo(opened.bus, quiet)];
    const all = await listenTo(opened.bus, { owner: ref.owner });
    await writeFromAnotherProcess(url, ref, 1);
    await Promise.all([listener.woken(), all.woken()]);
    const countBefore = other.count;
    await writeFromAnotherProcess(url, ref, 1);
    await listener.woken();
    expect(other.count).toBe(countBefore);
    for (const one of [listener, all, other]) one.unsubscribe();
  });

  it('can be subscribed again after the last one left', async () => {
    const ref = await openedTurn(opened.store);
    (await listenTo(opened.bus, ref)).unsubscribe();
    const listener = await listenTo(opened.bus, ref);
    await writeFromAnotherProcess(url, ref, 1);
    await listener.woken();
    listener.unsubscribe();
  });
});
