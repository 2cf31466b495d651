import { describe, expect, it } from 'vitest';
import { afterWorkerTurn, answerText, failureText, reminderText } from '../../src/core/after-worker-turn.ts';

const ended = {
  finishReason: 'model_stop',
  hasReported: false,
  isOwing: true,
  isGoingOn: false,
  hasMore: false,
  reminders: 0,
  isSpent: false,
} as const;

describe('afterWorkerTurn', () => {
  it.each([
    ['a report needs nothing more', { hasReported: true }, { kind: 'reported' }],
    ['a missing report is asked for', {}, { kind: 'remind', reminder: 1 }],
    ['… a second time', { reminders: 1 }, { kind: 'remind', reminder: 2 }],
    ['… and a third', { reminders: 2 }, { kind: 'remind', reminder: 3 }],
    ['then the answer goes by itself', { reminders: 3 }, { kind: 'answer' }],
    ['at once when no turn is left for a reminder', { isSpent: true }, { kind: 'answer' }],
    ['who waits for what goes on is left alone', { isGoingOn: true, reminders: 3 }, { kind: 'waiting' }],
    ['… and owes what that brings', { isGoingOn: true, hasReported: true }, { kind: 'waiting' }],
    ['who has another message before it takes that in first', { hasMore: true }, { kind: 'waiting' }],
    ['… unless it has reported', { hasMore: true, hasReported: true }, { kind: 'reported' }],
    ['who was asked for nothing owes nothing', { isOwing: false }, { kind: 'reported' }],
    ['what goes on hides no failure', { isGoingOn: true, finishReason: 'error' }, { kind: 'failure' }],
    ['an error is told', { finishReason: 'error' }, { kind: 'failure' }],
    [
      'an interrupt is told, after a report too',
      { finishReason: 'interrupted', hasReported: true },
      { kind: 'failure' },
    ],
    ['a limit is told', { finishReason: 'max_iterations' }, { kind: 'failure' }],
    ['a budget is told', { finishReason: 'budget_exceeded' }, { kind: 'failure' }],
    ['a stop is told', { finishReason: 'acting_stop_requested' }, { kind: 'failure' }],
    [
      'an answer by a tool is an answer',
      { finishReason: 'tool_return_direct' },
      { kind: 'remind', reminder: 1 },
    ],
  ] as const)('%s', (_, turn, next) => {
    expect(afterWorkerTurn({ ...ended, ...turn })).toEqual(next);
  });

  it('says what it means', () => {
    expect(reminderText('editor', 1)).toMatch(/without a report to editor.*2 more/);
    expect(reminderText('editor', 3)).toMatch(/your answer is sent as it is/);
    expect(failureText('ann', 'error', 'no key', '')).toMatch(/ann did not finish: its turn failed: no key/);
    expect(answerText('ann', '42')).toMatch(/ann ended its work without a report.*42/s);
  });
});
