import * as fc from 'fast-check';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionRef } from '../../src/contracts/ids.ts';
import { compactEvents, type SentEvent } from '../../src/core/compact-events.ts';
import { foldEvents } from '../../src/core/fold-events.ts';
import { isRelayed, type Relay } from '../../src/core/lineage.ts';
import type { AgentEvent, EventBody } from '../../src/schema/event.ts';
import type { OpenStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import {
  modelCallStart,
  newRef,
  openTurn,
  openedTurn,
  step,
  textDelta,
  userMessage,
} from './sample-session.ts';
import type { StoreUnderTest } from './store-contract.ts';

/** What one writer does to one session: a number of deltas are streamed and committed as the next step. */
type Act = 'durable' | 'message' | number;

/** Parents stand before their children; what lies on the way to the root may narrow what is seen there. */
const tree: { name: string; parent?: string; relay: Relay }[] = [
  { name: 'root', relay: 'all' },
  { name: 'a', parent: 'root', relay: 'all' },
  { name: 'b', parent: 'root', relay: 'gates' },
  { name: 'a.a', parent: 'a', relay: 'all' },
  { name: 'b.a', parent: 'b', relay: 'all' },
];

const acts = fc.array(
  fc.oneof(fc.constant<Act>('durable'), fc.constant<Act>('message'), fc.nat({ max: 4 })),
  {
    maxLength: 4,
  },
);

/** Whatever is written below, by whomever, at the same time: every log above tells the same, once, in order. */
export function relayContract(underTest: () => StoreUnderTest): void {
  describe('copies of events', () => {
    let one: OpenStore;
    let other: OpenStore;
    beforeAll(async () => {
      one = underTest().opened;
      other = (await underTest().openAgain?.()) ?? one;
    });
    afterAll(async () => {
      if (other !== one) await other.close();
    });

    it('are equal to what they copy, in order, without gap or double, under writers at once', async () => {
      const schedule = fc.array(acts, { minLength: tree.length, maxLength: tree.length });
      const run = async (perSession: Act[][]): Promise<void> => {
        const refs = await openTree(one.store);
        const refOf = (i: number) => refs.get(tree[i]!.name)!;
        const writers = perSession.flatMap((list, i) => [
          write(one.store, refOf(i), list),
          // A second process tells of other things in the same session.
          remark(other.store, refOf(i), list.length),
        ]);
        const writing = { isOver: false };
        const watching = watch(other.store, refOf(0), writing);
        await Promise.all(writers);
        writing.isOver = true;
        const seen = await watching;

        for (const { name } of tree) await checkLog(one.store, refs, name);
        const root = await all(one.store, refOf(0));
        const durable = seen.filter(({ id }) => root.some((event) => event.id === id));
        expect(durable.map(({ id }) => id)).toEqual(root.map(({ id }) => id));
        expect(textOf(seen)).toEqual(textOf(root));
      };
      await fc.assert(fc.asyncProperty(schedule, run), { numRuns: 4, endOnFailure: true });
    });
  });
}

async function openTree(store: Store): Promise<Map<string, SessionRef>> {
  const { owner } = newRef();
  const refs = new Map<string, SessionRef>();
  for (const { name, parent, relay } of tree) {
    const ref = { owner, sessionId: name };
    refs.set(name, ref);
    if (parent === undefined) await openedTurn(store, ref);
    else {
      await store.sessions.open(ref, 'support', { parent, kind: 'subagent', name, relay });
      await openTurn(store, ref, 1);
    }
  }
  return refs;
}

async function write(store: Store, ref: SessionRef, list: readonly Act[]): Promise<void> {
  let steps = 0;
  for (const [i, act] of list.entries()) {
    if (act === 'durable')
      await store.events.appendDurable(ref, 1, [{ kind: 'interrupted', reason: `${i}` }]);
    else if (act === 'message') await store.messages.append(ref, [userMessage(`1/m${i}`, 'hello')]);
    else await stream(store, ref, (steps += 1), act);
  }
}

async function stream(store: Store, ref: SessionRef, number: number, deltas: number): Promise<void> {
  const messageId = `1/${number}`;
  const text = Array.from({ length: deltas }, (_, i) =>
    textDelta(messageId, `${ref.sessionId}/${number}/${i} `),
  );
  const sent: SentEvent[] = [];
  const bodies: EventBody[] = [
    modelCallStart(messageId, 0),
    { kind: 'text_start', messageId, blockId: 'b0' },
    ...text,
  ];
  for (const body of bodies)
    for (const stamp of await store.events.appendEphemeral(ref, 1, messageId, [body]))
      sent.push({ ...stamp, body });
  const events: EventBody[] = [{ kind: 'text_end', messageId, blockId: 'b0' }];
  await store.calls.commitStep(step(ref, number, [], { kept: compactEvents(sent), events }));
}

async function remark(store: Store, ref: SessionRef, count: number): Promise<void> {
  for (let i = 0; i < count; i++)
    await store.events.appendDurable(ref, 1, [{ kind: 'all_tools_denied', callIds: [`${i}`] }]);
}

/** Reads the log while it is written, as a follower does. */
async function watch(store: Store, ref: SessionRef, writing: { isOver: boolean }): Promise<AgentEvent[]> {
  const seen: AgentEvent[] = [];
  for (;;) {
    const { isOver } = writing;
    const batch = await store.events.read(ref, seen.at(-1)?.id ?? 0, 5);
    seen.push(...batch);
    if (isOver && batch.length === 0) return seen;
    await setImmediate();
  }
}

async function checkLog(store: Store, refs: Map<string, SessionRef>, name: string): Promise<void> {
  const log = await all(store, refs.get(name)!);
  const ids = log.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
  for (const { name: other } of tree) {
    const links = linksUp(other, name);
    if (links.length === 0) continue;
    const relay = links.includes('gates') ? 'gates' : 'all';
    const copies = log.filter(({ sessionId, path }) => path !== undefined && sessionId === other);
    const own = (await all(store, refs.get(other)!)).filter(
      ({ path, kind }) => !path && isRelayed(relay, kind),
    );
    expect(told(copies)).toEqual(told(own));
  }
}

/** What each link lets through, from a session up to that ancestor; empty when it is none. */
function linksUp(from: string, to: string): Relay[] {
  const { parent, relay } = tree.find(({ name }) => name === from)!;
  if (parent === undefined) return [];
  if (parent === to) return [relay];
  const above = linksUp(parent, to);
  return above.length === 0 ? [] : [relay, ...above];
}

/** What a reader put together from the pieces, by session and message. */
function textOf(events: readonly AgentEvent[]): Record<string, unknown> {
  const bySession = Map.groupBy(events.map(withoutPlace), ({ sessionId }) => sessionId);
  return Object.fromEntries(
    [...bySession].map(([sessionId, own]) => [
      sessionId,
      Object.fromEntries(foldEvents(own).map(({ id, content }) => [id, content])),
    ]),
  );
}

/** Without what a copy has of its own: its id and path, and where a text is parted. */
function told(events: readonly AgentEvent[]): unknown[] {
  const joined: ReturnType<typeof withoutPlace>[] = [];
  for (const event of events.map(withoutPlace)) {
    const last = joined.at(-1);
    if (event.kind === 'text_delta' && last?.kind === 'text_delta' && last.messageId === event.messageId)
      joined[joined.length - 1] = { ...event, delta: last.delta + event.delta };
    else joined.push(event);
  }
  return joined;
}

function withoutPlace(event: AgentEvent) {
  const { id: _, path: __, ...rest } = event;
  return rest;
}

async function all(store: Store, ref: SessionRef): Promise<AgentEvent[]> {
  return store.events.read(ref, 0, 10_000);
}
