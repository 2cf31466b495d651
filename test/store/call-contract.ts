import { describe, expect, it } from 'vitest';
import { foldEvents } from '../../src/core/fold-events.ts';
import type { Store } from '../../src/store/store.ts';
import {
  allowedCall,
  kindsOf,
  modelCallStart,
  newRef,
  openedTurn,
  result,
  step,
  textDelta,
  userMessage,
} from './sample-session.ts';

export function callContract(store: () => Store): void {
  describe('a step', () => {
    it('takes the next seq for its message and one for each call, before any result is there', async () => {
      const ref = await openedTurn(store());
      const committed = await store().calls.commitStep(step(ref, 1, [allowedCall('c1'), allowedCall('c2')]));
      expect(committed.message.seq).toBe(2);
      expect(committed.calls.map(({ callId, index, seq }) => [callId, index, seq])).toEqual([
        ['c1', 0, 3],
        ['c2', 1, 4],
      ]);
      const [steer] = await store().messages.append(ref, [userMessage('1/steer/a', 'wait')]);
      expect(steer?.seq).toBe(5);
      await store().calls.settle(ref, 'c2', result('c2', 'two'));
      await store().calls.settle(ref, 'c1', result('c1', 'one'));
      expect((await store().messages.range(ref, 1, 9)).map(({ id }) => id)).toEqual([
        '1/input',
        '1/1',
        '1/1/c1',
        '1/1/c2',
        '1/steer/a',
      ]);
    });

    it('is committed once: a second commit changes nothing and answers the first', async () => {
      const ref = await openedTurn(store());
      const input = step(ref, 1, [allowedCall('c1')], { events: [{ kind: 'interrupted', reason: 'x' }] });
      const first = await store().calls.commitStep(input);
      const session = await store().sessions.get(ref);
      const second = step(ref, 1, [allowedCall('c9')], { events: input.events, contextFrom: 2 });
      expect(await store().calls.commitStep(second)).toEqual(first);
      expect(await store().sessions.get(ref)).toEqual(session);
      expect(await store().calls.step(ref, 1, 1)).toEqual(first);
      expect(await store().calls.step(ref, 1, 2)).toBeUndefined();
      expect(await store().calls.step(newRef(), 1, 1)).toBeUndefined();
    });

    it('moves the start of the context', async () => {
      const ref = await openedTurn(store());
      await store().calls.commitStep(step(ref, 1, [], { contextFrom: 2 }));
      expect((await store().sessions.get(ref))?.contextFrom).toBe(2);
    });

    it('replaces what was streamed by what is kept, under the same ids, then tells the rest', async () => {
      const ref = await openedTurn(store());
      const bodies = [modelCallStart('1/1', 77), textDelta('1/1', 'Hel'), textDelta('1/1', 'lo')];
      const [start, , last] = await store().events.appendEphemeral(ref, 1, '1/1', bodies);
      await store().events.appendEphemeral(ref, 1, '1/2', [textDelta('1/2', 'of another message')]);
      const denied = allowedCall('c1', { state: 'denied', result: result('c1', 'no', 'denied') });
      await store().calls.commitStep(
        step(ref, 1, [denied], {
          kept: [
            { ...start!, body: bodies[0]! },
            {
              ...last!,
              body: textDelta('1/1', 'Hello'),
              cuts: [
                [5, 3],
                [6, 5],
              ],
            },
          ],
          events: [{ kind: 'all_tools_denied', callIds: ['c1'] }],
        }),
      );
      const events = await store().events.read(ref, 3);
      expect(events.map(({ id, kind }) => [id, kind])).toEqual([
        [4, 'model_call_start'],
        [6, 'text_delta'],
        [7, 'text_delta'],
        [8, 'all_tools_denied'],
        [9, 'tool_result_end'],
      ]);
      // The place was a guess while the message was streamed.
      expect(events[0]).toMatchObject({ seq: 2, at: start!.at });
    });

    it('settles calls that never run with the commit', async () => {
      const ref = await openedTurn(store());
      const denied = allowedCall('c1', {
        state: 'denied',
        reason: 'rule',
        result: result('c1', 'no', 'denied'),
      });
      const { calls } = await store().calls.commitStep(step(ref, 1, [denied, allowedCall('c2')]));
      expect(calls[0]).toMatchObject({
        state: 'denied',
        reason: 'rule',
        endedAt: expect.any(String) as string,
      });
      expect((await store().messages.range(ref, 3, 3))[0]).toEqual({
        ...result('c1', 'no', 'denied'),
        seq: 3,
      });
      const folded = foldEvents(await store().events.read(ref, 0));
      expect(folded.find(({ seq }) => seq === 3)).toEqual({ ...result('c1', 'no', 'denied'), seq: 3 });
    });

    it('that fails half-way leaves nothing behind', async () => {
      const ref = await openedTurn(store());
      const session = await store().sessions.get(ref);
      const broken = { ...result('c1', ''), content: [] };
      const bad = step(ref, 1, [allowedCall('c1', { state: 'denied', result: broken })]);
      await expect(store().calls.commitStep(bad)).rejects.toThrow('must be one tool_result block');
      await expect(
        store().calls.commitStep(step(ref, 1, [allowedCall('c1'), allowedCall('c1')])),
      ).rejects.toThrow(/unique/i);
      expect(await store().sessions.get(ref)).toEqual(session);
      expect(await store().calls.step(ref, 1, 1)).toBeUndefined();
      await store().calls.commitStep(step(ref, 1, [allowedCall('c1')]));
    });
  });

  describe('a call', () => {
    const withCall = async (state: 'allowed' | 'asking' = 'allowed') => {
      const ref = await openedTurn(store());
      await store().calls.commitStep(step(ref, 1, [allowedCall('c1', { state })]));
      return ref;
    };

    it('is marked before it acts, and answered as it was before the mark', async () => {
      const ref = await withCall();
      const [before] = await store().calls.dispatch(ref, ['c1']);
      expect(before).toMatchObject({ isDispatched: false, attempts: 0 });
      const [again] = await store().calls.dispatch(ref, ['c1']);
      expect(again).toMatchObject({ isDispatched: true, attempts: 1 });
      expect(await store().calls.get(ref, 'c1')).toMatchObject({ isDispatched: true, attempts: 2 });
      expect(await store().events.read(ref, 3)).toMatchObject([
        { kind: 'tool_result_start', messageId: '1/1/c1', seq: 3, step: 1, attempt: 1, name: 'look' },
        { kind: 'tool_result_start', attempt: 2 },
      ]);
    });

    it('is settled once: its result takes the reserved place and what it streamed goes', async () => {
      const ref = await withCall();
      await store().calls.dispatch(ref, ['c1']);
      await store().events.appendEphemeral(ref, 1, '1/1/c1', [
        { kind: 'tool_result_delta', messageId: '1/1/c1', callId: 'c1', delta: 'par' },
      ]);
      const settled = await store().calls.settle(ref, 'c1', result('c1', 'done'));
      expect(settled).toMatchObject({ state: 'success', isDispatched: false, attempts: 1 });
      expect(await store().calls.get(ref, 'c1')).toEqual(settled);
      const session = await store().sessions.get(ref);

      const second = store().calls.settle(ref, 'c1', result('c1', 'again', 'error'), {
        events: [{ kind: 'interrupted', reason: 'x' }],
      });
      expect(await second).toEqual(settled);
      expect((await store().calls.dispatch(ref, ['c1']))[0]).toEqual(settled);
      expect(await store().sessions.get(ref)).toEqual(session);
      expect(await store().messages.get(ref, '1/1/c1')).toEqual({ ...result('c1', 'done'), seq: 3 });
      expect(await kindsOf(store(), ref, 3)).toEqual(['tool_result_start', 'tool_result_end']);
    });

    it('that ran without a mark gets it with its result, and the time at which it began', async () => {
      const ref = await withCall();
      const begunAt = '2026-01-02T03:04:05.678Z';
      const settled = await store().calls.settle(ref, 'c1', result('c1', 'done'), { begunAt });
      expect(settled).toMatchObject({ state: 'success', isDispatched: false, attempts: 1 });
      expect(await store().events.read(ref, 3)).toMatchObject([
        { kind: 'tool_result_start', messageId: '1/1/c1', seq: 3, attempt: 1, name: 'look', at: begunAt },
        { kind: 'tool_result_end', messageId: '1/1/c1', state: 'success' },
      ]);
    });

    it('moves between gates, with the answer in the same transaction; a repeat appends nothing', async () => {
      const ref = await withCall('asking');
      const allow = () =>
        store().calls.move(
          ref,
          'c1',
          { state: 'allowed', arguments: '{"id":2}', reason: 'ok' },
          {
            events: [{ kind: 'gate_answered', callId: 'c1', answer: 'allow' }],
          },
        );
      const moved = await allow();
      expect(moved).toMatchObject({ state: 'allowed', arguments: '{"id":2}', reason: 'ok', name: 'look' });
      expect(await allow()).toEqual(moved);
      expect(await kindsOf(store(), ref, 3)).toEqual(['gate_answered']);
    });

    it('that is settled does not move', async () => {
      const ref = await withCall();
      const settled = await store().calls.settle(ref, 'c1', result('c1', 'done'));
      expect(await store().calls.move(ref, 'c1', { state: 'uncertain' })).toEqual(settled);
    });

    it('is found by its id alone, but only by its owner', async () => {
      const ref = await openedTurn(store());
      await store().calls.commitStep(step(ref, 1, [allowedCall('call-x')]));
      expect(await store().calls.find(ref.owner, 'call-x')).toMatchObject({ callId: 'call-x', ref });
      expect(await store().calls.find('somebody-else', 'call-x')).toBeUndefined();
      expect(await store().calls.get({ ...ref, sessionId: 'other' }, 'call-x')).toBeUndefined();
    });

    it('keeps its arguments as the model wrote them, broken or not', async () => {
      const ref = await openedTurn(store());
      const raw = '{"a": "\u0000 \ud800 cut o';
      await store().calls.commitStep(step(ref, 1, [allowedCall('c1', { arguments: raw })]));
      expect((await store().calls.get(ref, 'c1'))?.arguments).toBe(raw);
    });

    it('that is unknown cannot be settled', async () => {
      const ref = await withCall();
      await expect(store().calls.settle(ref, 'c9', result('c9', ''))).rejects.toThrow('Call c9');
    });
  });

  describe('open calls', () => {
    it('are those at a gate, of all sessions of the owner, oldest first, in pages', async () => {
      const { owner } = newRef();
      for (const sessionId of ['s1', 's2']) {
        const ref = await openedTurn(store(), { owner, sessionId });
        await store().calls.commitStep(
          step(ref, 1, [
            allowedCall(`${sessionId}-asks`, { state: 'asking' }),
            allowedCall(`${sessionId}-runs`),
            allowedCall(`${sessionId}-outside`, { state: 'submitted' }),
          ]),
        );
      }
      await openedTurn(store(), newRef());
      expect((await store().calls.open(owner, { state: 'uncertain' })).items).toEqual([]);
      const first = await store().calls.open(owner, { limit: 3 });
      expect(first.items.map(({ callId, ref }) => [ref.sessionId, callId])).toEqual([
        ['s1', 's1-asks'],
        ['s1', 's1-outside'],
        ['s2', 's2-asks'],
      ]);
      const rest = await store().calls.open(owner, { limit: 3, cursor: first.nextCursor! });
      expect(rest.items.map(({ callId }) => callId)).toEqual(['s2-outside']);
      expect(rest.nextCursor).toBeUndefined();
    });
  });
}
