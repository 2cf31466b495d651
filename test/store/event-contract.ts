import { describe, expect, it } from 'vitest';
import { compactEvents } from '../../src/core/compact-events.ts';
import { AgentEvent } from '../../src/schema/event.ts';
import type { Store } from '../../src/store/store.ts';
import { closeTurn, kindsOf, modelCallStart, newRef, openedTurn, step, textDelta } from './sample-session.ts';

export function eventContract(store: () => Store): void {
  describe('events', () => {
    it('get ids that rise by one, and carry their session, turn and time', async () => {
      const ref = await openedTurn(store());
      const stamps = await store().events.appendDurable(ref, 1, [
        { kind: 'interrupted', reason: 'a' },
        { kind: 'interrupted', reason: 'b' },
      ]);
      expect(stamps.map(({ id }) => id)).toEqual([4, 5]);
      const events = await store().events.read(ref, 0);
      expect(events.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
      for (const event of events) {
        expect(AgentEvent.parse(event)).toEqual(event);
        expect(event).toMatchObject({
          sessionId: ref.sessionId,
          turnId: `turn/${ref.owner}/${ref.sessionId}/1`,
        });
      }
      expect(events[4]).toMatchObject({ kind: 'interrupted', reason: 'b', at: stamps[1]?.at });
    });

    it('are read from a cursor, in batches', async () => {
      const ref = await openedTurn(store());
      expect((await store().events.read(ref, 1, 1)).map(({ id }) => id)).toEqual([2]);
      expect(await store().events.read(ref, 3)).toEqual([]);
      expect(await store().events.read(newRef(), 0)).toEqual([]);
    });

    it('of an unfinished message are there for readers at once', async () => {
      const ref = await openedTurn(store());
      await store().events.appendEphemeral(ref, 1, '1/1', [modelCallStart('1/1', 2), textDelta('1/1', 'Hi')]);
      expect(await kindsOf(store(), ref, 3)).toEqual(['model_call_start', 'text_delta']);
    });

    it('of a message that is committed, or a turn that ended, come too late', async () => {
      const ref = await openedTurn(store());
      await store().calls.commitStep(step(ref, 1, []));
      expect(await store().events.appendEphemeral(ref, 1, '1/1', [textDelta('1/1', 'zombie')])).toEqual([]);
      await closeTurn(store(), ref, 1);
      expect(await store().events.appendEphemeral(ref, 1, '1/2', [textDelta('1/2', 'zombie')])).toEqual([]);
      expect(await kindsOf(store(), ref, 3)).toEqual(['turn_end']);
    });

    it('never take an id again that a reader may have seen, though the event is gone', async () => {
      const ref = await openedTurn(store());
      await store().events.appendEphemeral(ref, 1, '1/1', [textDelta('1/1', 'a'), textDelta('1/1', 'b')]);
      await store().calls.commitStep(step(ref, 1, []));
      const [next] = await store().events.appendDurable(ref, 1, [{ kind: 'interrupted', reason: 'x' }]);
      expect(next?.id).toBe(6);
    });

    it('of a merged text give a reader in the middle of it only the rest', async () => {
      const ref = await openedTurn(store());
      const pieces = ['Hel', 'lo, ', 'world', '!'].map((delta) => textDelta('1/1', delta));
      const stamps = await store().events.appendEphemeral(ref, 1, '1/1', pieces);
      const kept = compactEvents(stamps.map((stamp, i) => ({ ...stamp, body: pieces[i]! })));
      await store().calls.commitStep(step(ref, 1, [], { kept }));
      const restAfter = async (after: number) =>
        (await store().events.read(ref, after)).map((event) => 'delta' in event && event.delta);
      expect(await restAfter(3)).toEqual(['Hello, world!']);
      expect(await restAfter(4)).toEqual(['lo, world!']);
      expect(await restAfter(6)).toEqual(['!']);
      expect(await restAfter(7)).toEqual([]);
    });
  });
}
