import { describe, expect, it } from 'vitest';
import type { SessionRef } from '../../src/contracts/ids.ts';
import { compactEvents } from '../../src/core/compact-events.ts';
import { foldEvents } from '../../src/core/fold-events.ts';
import { AgentEvent } from '../../src/schema/event.ts';
import { InvalidLineageError, NotInStoreError } from '../../src/store/store-errors.ts';
import type { Lineage, Store } from '../../src/store/store.ts';
import {
  allowedCall,
  closeTurn,
  kindsOf,
  modelCallStart,
  newRef,
  openTurn,
  openedTurn,
  result,
  step,
  textDelta,
} from './sample-session.ts';

export function lineageContract(store: () => Store): void {
  const below = (ref: SessionRef, name: string): SessionRef => ({
    owner: ref.owner,
    sessionId: `${ref.sessionId}.${name}`,
  });
  const lineageOf = (parent: SessionRef, name: string, over: Partial<Lineage> = {}): Lineage => ({
    parent: parent.sessionId,
    kind: 'subagent',
    name,
    relay: 'all',
    ...over,
  });
  const child = async (parent: SessionRef, name: string, over: Partial<Lineage> = {}) => {
    const ref = below(parent, name);
    await store().sessions.open(ref, 'support', lineageOf(parent, name, over));
    return ref;
  };
  const read = (ref: SessionRef, after = 0) => store().events.read(ref, after);
  const bare = (event: AgentEvent) => {
    const { id: _, path: __, ...rest } = event;
    return rest;
  };

  describe('lineage', () => {
    it('is kept with the session, and leads up and down', async () => {
      const root = await openedTurn(store());
      const one = await child(root, 'one', { callId: 'c1' });
      const two = await child(one, 'two', { kind: 'worker', relay: 'gates' });
      expect((await store().sessions.get(one))?.lineage).toEqual(lineageOf(root, 'one', { callId: 'c1' }));
      expect(await store().sessions.ancestors(two)).toEqual([
        { ref: one, path: ['two'], relay: 'gates' },
        { ref: root, path: ['one', 'two'], relay: 'gates' },
      ]);
      const children = async (ref: SessionRef) =>
        (await store().sessions.children(ref, {})).items.map(({ ref }) => ref);
      expect(await children(root)).toEqual([one]);
      expect(await children(one)).toEqual([two]);
      expect(await children(two)).toEqual([]);
    });

    it('is as it was when the session is opened again', async () => {
      const root = await openedTurn(store());
      const one = await child(root, 'one');
      const again = await store().sessions.open(one, 'other', lineageOf(root, 'renamed'));
      expect(again).toMatchObject({ agent: 'support', lineage: { name: 'one' } });
      expect(await store().sessions.ancestors(one)).toHaveLength(1);
    });

    it('leaves the children out of the list of sessions, and gives them in pages', async () => {
      const root = await openedTurn(store());
      const refs = [];
      for (const name of ['a', 'b', 'c']) refs.push(await child(root, name));
      const listed = await store().sessions.list(root.owner, {});
      expect(listed.items.map(({ ref }) => ref)).toEqual([root]);
      const first = await store().sessions.children(root, { limit: 2 });
      const rest = await store().sessions.children(root, { limit: 2, cursor: first.nextCursor! });
      expect([...first.items, ...rest.items].map(({ ref }) => ref)).toEqual(refs);
      expect(rest.nextCursor).toBeUndefined();
    });

    it('needs a parent that is there', async () => {
      const opening = child(newRef(), 'orphan');
      await expect(opening).rejects.toThrow(NotInStoreError);
      await expect(opening).rejects.toThrow('case-42');
    });

    it('moves with all that is below, and ends', async () => {
      const root = await openedTurn(store());
      const guest = { owner: root.owner, sessionId: 'guest' };
      await store().sessions.open(guest, 'support');
      const own = await child(guest, 'own');
      const lineage = lineageOf(root, 'guest', { kind: 'invited', relay: 'gates' });
      expect((await store().sessions.setLineage(guest, lineage)).lineage).toEqual(lineage);
      expect(await store().sessions.ancestors(own)).toEqual([
        { ref: guest, path: ['own'], relay: 'all' },
        { ref: root, path: ['guest', 'own'], relay: 'gates' },
      ]);
      const listed = (await store().sessions.list(root.owner, {})).items.map(({ ref }) => ref.sessionId);
      expect(listed.toSorted()).toEqual(['case-42', 'guest']);

      await store().sessions.setLineage(guest, undefined);
      expect(await store().sessions.ancestors(guest)).toEqual([]);
      expect(await store().sessions.ancestors(own)).toHaveLength(1);
      await store().events.appendDurable(own, 1, [{ kind: 'interrupted', reason: 'x' }]);
      expect(await kindsOf(store(), root, 3)).toEqual([]);
    });

    it('is never a circle', async () => {
      const root = await openedTurn(store());
      const two = await child(await child(root, 'one'), 'two');
      const moving = store().sessions.setLineage(root, lineageOf(two, 'root'));
      await expect(moving).rejects.toThrow(InvalidLineageError);
      await expect(store().sessions.setLineage(root, lineageOf(root, 'self'))).rejects.toThrow(
        'stands below',
      );
      expect(await store().sessions.ancestors(two)).toHaveLength(2);
    });
  });

  describe('events of a session below', () => {
    it('reach all above it with their path, in order, and equal', async () => {
      const root = await openedTurn(store());
      const one = await child(root, 'one');
      const two = await child(one, 'two');
      await openTurn(store(), two, 1);
      await store().calls.commitStep(step(two, 1, [allowedCall('c1')]));
      await store().calls.settle(two, 'c1', result('c1', 'done'));
      const own = await read(two);
      expect(own.map(({ kind }) => kind)).toEqual(['input', 'turn_start', 'run_start', 'tool_result_end']);
      for (const [ref, path] of [
        [root, ['one', 'two']],
        [one, ['two']],
      ] as const) {
        const copies = (await read(ref)).filter((event) => event.path);
        expect(copies.map(bare)).toEqual(own.map(bare));
        for (const copy of copies) {
          expect(copy.path).toEqual(path);
          expect(AgentEvent.parse(copy)).toEqual(copy);
        }
      }
      expect((await read(root)).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7]);
      expect((await store().sessions.get(root))?.lastEventId).toBe(7);
    });

    it('tell of gates and ends only, where no more is let through', async () => {
      const root = await openedTurn(store());
      const worker = await child(root, 'worker', { kind: 'worker', relay: 'gates' });
      await openTurn(store(), worker, 1);
      await store().events.appendEphemeral(worker, 1, '1/1', [modelCallStart('1/1', 2)]);
      await store().calls.commitStep(step(worker, 1, [allowedCall('c1', { state: 'asking' })]));
      const calls = [{ callId: 'c1', name: 'look', arguments: '{}' }];
      await store().events.appendDurable(worker, 1, [{ kind: 'require_user_confirm', calls }]);
      await closeTurn(store(), worker, 1);
      expect(await kindsOf(store(), root, 3)).toEqual(['turn_start', 'require_user_confirm', 'turn_end']);
    });

    it('are streamed, and kept under the ids that they were streamed with', async () => {
      const root = await openedTurn(store());
      const one = await child(root, 'one');
      await openTurn(store(), one, 1);
      const start = modelCallStart('1/1', 2);
      const bodies = [start, ...['Hel', 'lo, ', 'world'].map((delta) => textDelta('1/1', delta))];
      const sent = [];
      for (const body of bodies) {
        const [stamp] = await store().events.appendEphemeral(one, 1, '1/1', [body]);
        sent.push({ ...stamp!, body });
        await store().events.appendDurable(root, 1, [{ kind: 'interrupted', reason: 'x' }]);
      }
      const ofChild = async (after = 0) => (await read(root, after)).filter((event) => event.path);
      const streamed = await ofChild(6);
      expect(streamed.map(bare)).toEqual((await read(one, 3)).map(bare));
      await store().calls.commitStep(step(one, 1, [], { kept: compactEvents(sent) }));

      expect(await read(one, 3)).toMatchObject([{ kind: 'model_call_start' }, { delta: 'Hello, world' }]);
      // Other events stand between the pieces here: they stay apart.
      expect(await ofChild(6)).toEqual(streamed);
    });

    it('are merged above as they are where they happened', async () => {
      const root = await openedTurn(store());
      const one = await child(root, 'one');
      await openTurn(store(), one, 1);
      await store().events.appendDurable(root, 1, [{ kind: 'interrupted', reason: 'x' }]);
      const bodies = [modelCallStart('1/1', 2), ...['a', 'b', 'c'].map((delta) => textDelta('1/1', delta))];
      const stamps = await store().events.appendEphemeral(one, 1, '1/1', bodies);
      const streamed = await read(root, 7);
      const kept = compactEvents(stamps.map((stamp, i) => ({ ...stamp, body: bodies[i]! })));
      await store().calls.commitStep(step(one, 1, [], { kept }));
      const copies = await read(root, 7);
      expect(copies.map(({ id }) => id)).toEqual([streamed[0]!.id, streamed[3]!.id]);
      expect(copies.map(bare)).toEqual((await read(one, 3)).map(bare));
      expect(await read(root, streamed[1]!.id)).toMatchObject([{ kind: 'text_delta', delta: 'bc' }]);
    });

    it('that were not streamed up from their beginning are told whole', async () => {
      const [root, guest] = [await openedTurn(store()), newRef()];
      guest.owner = root.owner;
      guest.sessionId = 'guest';
      await openedTurn(store(), guest);
      const bodies = [modelCallStart('1/1', 2), textDelta('1/1', 'a'), textDelta('1/1', 'b')];
      const sent = [];
      for (const [i, body] of bodies.entries()) {
        if (i === 2) await store().sessions.setLineage(guest, lineageOf(root, 'guest', { kind: 'invited' }));
        const [stamp] = await store().events.appendEphemeral(guest, 1, '1/1', [body]);
        sent.push({ ...stamp!, body });
      }
      const before = await read(root, 3);
      await store().calls.commitStep(step(guest, 1, [], { kept: compactEvents(sent) }));
      const after = await read(root, before.at(-1)!.id);
      expect(after).toMatchObject([{ kind: 'model_call_start' }, { kind: 'text_delta', delta: 'ab' }]);
    });

    it('go with what they are copies of, and not with the turn of who sees them', async () => {
      const root = await openedTurn(store());
      const one = await child(root, 'one');
      await openTurn(store(), one, 1);
      await store().events.appendEphemeral(one, 1, '1/1', [textDelta('1/1', 'of the child')]);
      await store().events.appendEphemeral(root, 1, '1/1', [textDelta('1/1', 'of the parent')]);
      await store().calls.commitStep(step(root, 1, []));
      await closeTurn(store(), root, 1);
      const deltas = async () => (await read(root, 3)).filter(({ kind }) => kind === 'text_delta');
      expect(await deltas()).toMatchObject([{ path: ['one'], delta: 'of the child' }]);
      await closeTurn(store(), one, 1);
      expect(await deltas()).toEqual([]);
    });

    it('change nothing about the messages that the parent folds', async () => {
      const root = await openedTurn(store());
      const one = await child(root, 'one');
      await openTurn(store(), one, 1);
      const folded = foldEvents(await read(root));
      expect(folded).toEqual((await store().messages.list(root, {})).items);
    });
  });

  describe('open calls below', () => {
    it('are found with their session and path, oldest first', async () => {
      const root = await openedTurn(store());
      const one = await child(root, 'one');
      const two = await child(one, 'two');
      for (const [ref, callId] of [
        [two, 'c-two'],
        [one, 'c-one'],
        [root, 'c-root'],
      ] as const) {
        if (ref !== root) await openTurn(store(), ref, 1);
        await store().calls.commitStep(step(ref, 1, [allowedCall(callId, { state: 'asking' })]));
      }
      expect(await store().calls.openBelow(root)).toMatchObject([
        { callId: 'c-two', ref: two, path: ['one', 'two'] },
        { callId: 'c-one', ref: one, path: ['one'] },
      ]);
      await store().calls.settle(two, 'c-two', result('c-two', 'x'));
      expect((await store().calls.openBelow(one)).map(({ callId }) => callId)).toEqual([]);
    });
  });
}
