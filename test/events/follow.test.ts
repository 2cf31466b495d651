import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventBus } from '../../src/events/event-bus.ts';
import { followEvents } from '../../src/events/follow.ts';
import type { FollowOptions } from '../../src/events/follow.ts';
import type { AgentEvent } from '../../src/schema/event.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { OpenStore } from '../../src/store/open-store.ts';
import { StoreUnavailableError } from '../../src/store/store-errors.ts';
import type { Store } from '../../src/store/store.ts';
import { newRef, openedTurn } from '../store/sample-session.ts';

describe('followEvents', () => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await openStore('sqlite::memory:');
  });
  afterAll(() => opened.close());

  const say = (ref: ReturnType<typeof newRef>, reason: string) =>
    opened.store.events.appendDurable(ref, 1, [{ kind: 'interrupted', reason }]);

  /** Follows until so many events have come. */
  const take = async (
    count: number,
    ref: ReturnType<typeof newRef>,
    options: FollowOptions & { store?: Pick<Store, 'events'>; bus?: EventBus } = {},
  ): Promise<AgentEvent[]> => {
    const { store = opened.store, bus = opened.bus, ...rest } = options;
    const events: AgentEvent[] = [];
    for await (const event of followEvents(store, bus, ref, rest)) {
      events.push(event);
      if (events.length === count) break;
    }
    return events;
  };

  it('replays from the cursor, then goes on live', async () => {
    const ref = await openedTurn(opened.store);
    const following = take(4, ref, { after: 1 });
    await say(ref, 'live 1');
    await say(ref, 'live 2');
    expect((await following).map(({ id, kind }) => [id, kind])).toEqual([
      [2, 'turn_start'],
      [3, 'run_start'],
      [4, 'interrupted'],
      [5, 'interrupted'],
    ]);
  });

  it('may begin before there is a session', async () => {
    const ref = newRef();
    const following = take(3, ref);
    await openedTurn(opened.store, ref);
    expect((await following).map(({ id }) => id)).toEqual([1, 2, 3]);
  });

  it('brings many more than one read takes, in order', async () => {
    const ref = await openedTurn(opened.store);
    const bodies = Array.from({ length: 1_000 }, () => ({ kind: 'interrupted' as const, reason: 'x' }));
    await opened.store.events.appendDurable(ref, 1, bodies);
    const events = await take(1_003, ref);
    expect(events.map(({ id }) => id)).toEqual(Array.from({ length: 1_003 }, (_, i) => i + 1));
  });

  it('misses nothing that is committed while it reads', async () => {
    const ref = await openedTurn(opened.store);
    let isFirst = true;
    // The write falls between the first read and its answer: only a subscription made before that read hears of it.
    const events: Store['events'] = {
      ...opened.store.events,
      async read(...args) {
        const answer = await opened.store.events.read(...args);
        if (isFirst) {
          isFirst = false;
          await say(ref, 'in between');
        }
        return answer;
      },
    };
    expect((await take(4, ref, { store: { events } })).map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  });

  it('waits for a store that does not answer, and goes on where it was', async () => {
    const ref = await openedTurn(opened.store);
    let failures = 3;
    const events: Store['events'] = {
      ...opened.store.events,
      async read(...args) {
        if (failures > 0) {
          failures -= 1;
          throw new StoreUnavailableError('away');
        }
        return opened.store.events.read(...args);
      },
    };
    expect((await take(2, ref, { after: 1, store: { events } })).map(({ id }) => id)).toEqual([2, 3]);
    expect(failures).toBe(0);
  });

  it('passes on what is no outage', async () => {
    const events: Store['events'] = {
      ...opened.store.events,
      read: () => Promise.reject(new Error('a bug')),
    };
    await expect(take(1, newRef(), { store: { events } })).rejects.toThrow('a bug');
  });

  it('ends without an error when the signal aborts, wherever it is', async () => {
    const ref = await openedTurn(opened.store);
    const stop = new AbortController();
    const idle = take(99, ref, { signal: stop.signal });
    await say(ref, 'x');
    const seen: number[] = [];
    for await (const { id } of followEvents(opened.store, opened.bus, ref, { signal: stop.signal })) {
      seen.push(id);
      if (id === 2) stop.abort();
    }
    expect(seen).toEqual([1, 2]);
    expect((await idle).length).toBeLessThan(99);
    expect(await take(1, ref, { signal: AbortSignal.abort() })).toEqual([]);
  });

  it('leaves no subscription behind, however it ends', async () => {
    const ref = await openedTurn(opened.store);
    let subscriptions = 0;
    const bus: EventBus = {
      wake() {},
      async subscribe() {
        subscriptions += 1;
        return { unsubscribe: () => (subscriptions -= 1) };
      },
      async close() {},
    };
    await take(2, ref, { bus });
    await take(1, ref, { bus, signal: AbortSignal.abort() });
    const events = { ...opened.store.events, read: () => Promise.reject(new Error('a bug')) };
    await take(1, ref, { bus, store: { events } }).catch(() => {});
    expect(subscriptions).toBe(0);
  });
});
