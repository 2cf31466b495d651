import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSettled, nextAction } from '../../src/core/next-action.ts';
import type { CallState, LoopCall, LoopState } from '../../src/core/next-action.ts';

const fresh: LoopState = {
  iterations: 0,
  maxIterations: 10,
  reply: 'none',
  calls: [],
  hasSteers: false,
  isSummarized: false,
};

function aCall(state: CallState, more: Partial<LoopCall> = {}): LoopCall {
  return { callId: `c-${state}`, state, concurrencySafe: false, returnDirect: false, ...more };
}

function afterCalls(...calls: LoopCall[]): LoopState {
  return { ...fresh, iterations: 1, reply: 'calls', calls };
}

describe('nextAction', () => {
  it('asks the model first', () => {
    expect(nextAction(fresh)).toEqual({ kind: 'reason' });
  });

  it('runs what is allowed, and asks the model again once all of it is settled', () => {
    expect(nextAction(afterCalls(aCall('allowed')))).toMatchObject({
      kind: 'act',
      calls: [{ state: 'allowed' }],
    });
    expect(nextAction(afterCalls(aCall('success')))).toEqual({ kind: 'reason' });
  });

  it('asks the model no more once the tokens are used up, and runs what it has asked for', () => {
    expect(nextAction({ ...fresh, isOverBudget: true })).toEqual({ kind: 'exit', reason: 'budget_exceeded' });
    const proposed = { ...afterCalls(aCall('allowed')), isOverBudget: true };
    expect(nextAction(proposed)).toMatchObject({ kind: 'act' });
    const answered = { ...fresh, iterations: 1, reply: 'text' as const, isOverBudget: true };
    expect(nextAction(answered)).toEqual({ kind: 'exit', reason: 'model_stop' });
  });

  it('runs the siblings of a waiting call in its batch, and then waits', () => {
    const asking = aCall('asking', { concurrencySafe: true });
    const allowed = aCall('allowed', { concurrencySafe: true });
    expect(nextAction(afterCalls(asking, allowed))).toEqual({
      kind: 'act',
      calls: [allowed],
      waiting: [asking],
    });
    expect(nextAction(afterCalls(asking, { ...allowed, state: 'success' }))).toEqual({
      kind: 'wait',
      waiting: [asking],
    });
  });

  it('runs nothing behind a gate of a serial batch', () => {
    const asking = aCall('asking');
    expect(nextAction(afterCalls(asking, aCall('allowed')))).toEqual({ kind: 'wait', waiting: [asking] });
  });

  it.each<CallState>(['asking', 'submitted', 'uncertain'])('waits for a call that is %s', (state) => {
    expect(nextAction(afterCalls(aCall(state))).kind).toBe('wait');
  });

  it.each<CallState>(['success', 'error', 'denied', 'interrupted'])(
    'goes on after a call that ended in %s',
    (state) => {
      expect(nextAction(afterCalls(aCall(state)))).toEqual({ kind: 'reason' });
    },
  );

  it('ends with a text, unless a message of the user came meanwhile', () => {
    const answered: LoopState = { ...fresh, iterations: 1, reply: 'text' };
    expect(nextAction(answered)).toEqual({ kind: 'exit', reason: 'model_stop' });
    expect(nextAction({ ...answered, hasSteers: true })).toEqual({ kind: 'reason' });
  });

  it('asks again after an empty reply, and summarizes when the iterations are used up', () => {
    expect(nextAction({ ...fresh, iterations: 1, reply: 'empty' })).toEqual({ kind: 'reason' });
    expect(nextAction({ ...fresh, iterations: 10, reply: 'empty' })).toEqual({ kind: 'summarize' });
    expect(nextAction({ ...fresh, iterations: 10, reply: 'text', isSummarized: true })).toEqual({
      kind: 'exit',
      reason: 'max_iterations',
    });
  });

  it('returns directly only when every call declares it and succeeded', () => {
    const direct = aCall('success', { returnDirect: true });
    expect(nextAction(afterCalls(direct))).toEqual({ kind: 'exit', reason: 'tool_return_direct' });
    expect(nextAction(afterCalls(direct, aCall('success')))).toEqual({ kind: 'reason' });
    expect(nextAction(afterCalls(direct, { ...direct, state: 'error' }))).toEqual({ kind: 'reason' });
  });

  describe('where an answer in a certain form is wanted', () => {
    const wanting: LoopState = { ...fresh, needsOutput: true, iterations: 1 };

    it('takes no other for it, whatever the model says', () => {
      expect(nextAction({ ...wanting, reply: 'text' })).toEqual({ kind: 'reason' });
      expect(nextAction({ ...wanting, reply: 'empty' })).toEqual({ kind: 'reason' });
      expect(nextAction({ ...wanting, reply: 'structured' })).toEqual({
        kind: 'exit',
        reason: 'structured_output',
      });
    });

    it('runs the calls that came with it first', () => {
      const both: LoopState = {
        ...wanting,
        reply: 'structured',
        calls: [aCall('allowed'), aCall('success')],
      };
      expect(nextAction(both).kind).toBe('act');
      expect(nextAction({ ...both, calls: [aCall('success'), aCall('success')] }).kind).toBe('exit');
    });

    it('asks for nothing else from the limit on, and gives up after some tries', () => {
      const at = (iterations: number) => nextAction({ ...wanting, iterations, reply: 'text' });
      expect([9, 10, 12, 13].map(at)).toEqual([
        { kind: 'reason' },
        { kind: 'reason', mustAnswer: true },
        { kind: 'reason', mustAnswer: true },
        { kind: 'exit', reason: 'max_iterations' },
      ]);
    });
  });

  it('ends for the reason that was asked for, whatever else is open', () => {
    const state: LoopState = { ...afterCalls(aCall('asking')), stopReason: 'interrupted' };
    expect(nextAction(state)).toEqual({ kind: 'exit', reason: 'interrupted' });
  });

  it('always ends, whatever the model answers and the tools come to', () => {
    const settledState = fc.constantFrom<CallState>('success', 'error', 'denied', 'interrupted');
    const anyCall = fc.record({
      callId: fc.string(),
      state: fc.constantFrom<CallState>(
        'pending',
        'allowed',
        'asking',
        'submitted',
        'uncertain',
        'error',
        'denied',
      ),
      concurrencySafe: fc.boolean(),
      returnDirect: fc.boolean(),
    });
    const anyAnswer = fc.oneof(
      fc.record({ reply: fc.constantFrom('text' as const, 'empty' as const), calls: fc.constant([]) }),
      fc.record({
        reply: fc.constant('calls' as const),
        calls: fc.array(anyCall, { minLength: 1, maxLength: 5 }),
      }),
    );
    const world = fc.record({
      maxIterations: fc.integer({ min: 1, max: 20 }),
      needsOutput: fc.boolean(),
      answers: fc.infiniteStream(anyAnswer),
      outcomes: fc.infiniteStream(settledState),
    });
    fc.assert(
      fc.property(world, ({ maxIterations, needsOutput, answers, outcomes }) => {
        let state: LoopState = { ...fresh, maxIterations, needsOutput };
        const settle = (ids: readonly LoopCall[]) => {
          state = {
            ...state,
            calls: state.calls.map((call) =>
              ids.includes(call) ? { ...call, state: outcomes.next().value as CallState } : call,
            ),
          };
        };
        for (let moves = 0; moves < (maxIterations + 5) * 12; moves += 1) {
          const action = nextAction(state);
          if (action.kind === 'exit') return state.calls.every(isSettled);
          if (action.kind === 'act') settle(action.calls);
          else if (action.kind === 'wait') settle(action.waiting);
          else if (action.kind === 'summarize')
            state = { ...state, reply: 'text', calls: [], isSummarized: true };
          else {
            const { reply, calls } = answers.next().value as Pick<LoopState, 'reply' | 'calls'>;
            state = { ...state, reply, calls, iterations: state.iterations + 1 };
          }
        }
        return false;
      }),
    );
  });
});
