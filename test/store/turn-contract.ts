import { describe, expect, it } from 'vitest';
import { noUsage } from '../../src/core/usage.ts';
import type { Store } from '../../src/store/store.ts';
import {
  allowedCall,
  closeTurn,
  kindsOf,
  newRef,
  openTurn,
  openedTurn,
  result,
  step,
  textDelta,
} from './sample-session.ts';

export function turnContract(store: () => Store): void {
  describe('turns', () => {
    it('open with their input as the next message, and the session runs', async () => {
      const ref = newRef();
      await store().sessions.open(ref, 'support');
      const turn = await openTurn(store(), ref, 1);
      expect(turn).toMatchObject({
        turn: 1,
        turnId: `turn/${ref.owner}/${ref.sessionId}/1`,
        state: 'running',
        run: 1,
      });
      expect(await store().turns.get(ref, 1)).toEqual(turn);
      expect(await store().sessions.get(ref)).toMatchObject({ state: 'running', head: 1, lastTurn: 1 });
      expect(await kindsOf(store(), ref)).toEqual(['input', 'turn_start', 'run_start']);
    });

    it('open once: a repeat of the number answers the same record and writes nothing', async () => {
      const ref = await openedTurn(store());
      const session = await store().sessions.get(ref);
      const first = await store().turns.get(ref, 1);
      expect(await openTurn(store(), ref, 1, 'another-input')).toEqual(first);
      expect(await store().sessions.get(ref)).toEqual(session);
    });

    it('open once for one input: it answers the turn that it became before', async () => {
      const ref = await openedTurn(store());
      const again = await openTurn(store(), ref, 2, 'input-1');
      expect(again.turn).toBe(1);
      expect(await store().turns.get(ref, 2)).toBeUndefined();
      expect((await store().sessions.get(ref))?.head).toBe(1);
    });

    it('wait and run, with the session; a repeat appends no event', async () => {
      const ref = await openedTurn(store());
      const pause = () =>
        store().turns.setState(ref, 1, 'waiting', [{ kind: 'run_end', run: 1, reason: 'permission_asking' }]);
      await pause();
      await pause();
      expect(await store().sessions.get(ref)).toMatchObject({ state: 'waiting' });
      await store().turns.setState(ref, 1, 'running', [{ kind: 'run_start', run: 2 }]);
      expect(await kindsOf(store(), ref, 3)).toEqual(['run_end', 'run_start']);
      expect(await store().turns.get(ref, 1)).toMatchObject({ state: 'running', run: 2 });
      expect(await closeTurn(store(), ref, 1)).toMatchObject({ run: 2 });
      expect((await store().turns.list(ref, {})).items).toMatchObject([{ run: 2 }]);
    });

    it('end once, and stay ended', async () => {
      const ref = await openedTurn(store());
      const ended = await closeTurn(store(), ref, 1);
      expect(ended).toMatchObject({ state: 'ended', finishReason: 'model_stop', replyMessageId: '1/1' });
      const session = await store().sessions.get(ref);
      expect(session?.state).toBe('idle');

      expect(await closeTurn(store(), ref, 1)).toEqual(ended);
      await store().turns.setState(ref, 1, 'running', [{ kind: 'run_start', run: 2 }]);
      expect(await store().sessions.get(ref)).toEqual(session);
      expect(await store().turns.get(ref, 1)).toEqual(ended);
    });

    it('end with a result for each call that has none', async () => {
      const ref = await openedTurn(store());
      await store().calls.commitStep(step(ref, 1, [allowedCall('c1'), allowedCall('c2'), allowedCall('c3')]));
      await store().calls.settle(ref, 'c2', result('c2', 'done'));
      await closeTurn(store(), ref, 1);

      const texts = (await store().messages.range(ref, 3, 5)).map(({ content: [block] }) =>
        block?.type === 'tool_result' ? [block.id, block.state, JSON.stringify(block.content)] : [],
      );
      expect(texts).toEqual([
        ['c1', 'interrupted', expect.stringContaining('The turn ended first.')],
        ['c2', 'success', expect.stringContaining('done')],
        ['c3', 'interrupted', expect.stringContaining('The turn ended first.')],
      ]);
      expect((await store().calls.ofTurn(ref, 1)).map(({ state }) => state)).toEqual([
        'interrupted',
        'success',
        'interrupted',
      ]);
      expect(await kindsOf(store(), ref, 4)).toEqual(['tool_result_end', 'tool_result_end', 'turn_end']);
    });

    it('say of what was begun or handed out, and of nothing else, that it may have happened', async () => {
      const ref = await openedTurn(store());
      const states = { c1: 'asking', c2: 'allowed', c3: 'allowed', c4: 'submitted', c5: 'allowed' } as const;
      const calls = Object.entries(states).map(([callId, state]) => allowedCall(callId, { state }));
      await store().calls.commitStep(step(ref, 1, calls));
      await store().calls.dispatch(ref, ['c2', 'c3', 'c5']);
      await store().calls.move(ref, 'c3', { state: 'uncertain', reason: 'its worker ended' });
      await store().calls.move(ref, 'c5', { state: 'uncertain', isDispatched: false, reason: 'seen not to' });
      await closeTurn(store(), ref, 1);

      const told = (await store().messages.range(ref, 3, 7)).map(({ content }) => JSON.stringify(content));
      const isTold = told.map((text) => text.includes('The turn ended first. It may have happened'));
      expect(isTold).toEqual([false, true, true, true, false]);
      const { items } = await store().audit.list(ref, {});
      expect(items.map(({ callId }) => callId)).toEqual(['c2', 'c3', 'c4']);
      expect(items[1]).toMatchObject({
        by: 'turn_end',
        tool: 'look',
        arguments: '{"id":1}',
        reason: expect.stringContaining('may have happened') as string,
      });
    });

    it('take what was streamed and never committed with them', async () => {
      const ref = await openedTurn(store());
      await store().events.appendEphemeral(ref, 1, '1/1', [textDelta('1/1', 'half')]);
      await closeTurn(store(), ref, 1);
      expect(await kindsOf(store(), ref, 3)).toEqual(['turn_end']);
    });

    it('remember their error, and leave the context when the provider rejected them', async () => {
      const ref = await openedTurn(store());
      const error = { code: 'ModelRejectedRequest', message: 'bad image' };
      const close = () =>
        store().turns.close({
          ref,
          turn: 1,
          finishReason: 'error',
          usage: noUsage,
          error,
          isExcluded: true,
          danglingResult: '',
          events: [],
        });
      expect(await close()).toMatchObject({ finishReason: 'error', error });
      await close();
      expect((await store().sessions.get(ref))?.excludedTurns).toEqual([1]);
    });

    it('leave the state of the session to the newest of them', async () => {
      const ref = await openedTurn(store());
      await openTurn(store(), ref, 2);
      await closeTurn(store(), ref, 1);
      expect(await store().sessions.get(ref)).toMatchObject({ state: 'running', lastTurn: 2 });
    });

    it('are listed newest first, and their inputs oldest first', async () => {
      const ref = await openedTurn(store());
      for (const turn of [2, 3]) await openTurn(store(), ref, turn);
      const page = await store().turns.list(ref, { limit: 2 });
      expect(page.items.map(({ turn }) => turn)).toEqual([3, 2]);
      const rest = await store().turns.list(ref, { limit: 2, cursor: page.nextCursor! });
      expect(rest.items.map(({ turn }) => turn)).toEqual([1]);
      expect(rest.nextCursor).toBeUndefined();
      expect(await store().turns.recentInputs(ref, 2)).toEqual([
        { inputId: 'input-2', turn: 2 },
        { inputId: 'input-3', turn: 3 },
      ]);
    });

    it('that were never opened cannot change', async () => {
      const ref = newRef();
      await store().sessions.open(ref, 'support');
      await expect(store().turns.setState(ref, 7, 'running', [])).rejects.toThrow('/7 is not in the store');
      await expect(closeTurn(store(), ref, 7)).rejects.toThrow('open it first');
    });
  });
}
