import { describe, expect, it } from 'vitest';
import { SessionState } from '../../src/workflows/session-state.ts';

const ref = { owner: 'acme', sessionId: 'case-42' };

describe('SessionState', () => {
  it('knows the repeat of an input that waits, however many have come since', () => {
    const settings = { lingerMs: 1, hasSearchAttributes: false };
    const state = new SessionState({
      ref,
      agent: 'support',
      carry: { nextTurn: 1, queue: [], seen: [], settings },
    });
    const admit = (id: string) => state.admit({ id, input: [] });
    for (let n = 1; n <= 300; n += 1) admit(`input-${n}`);
    expect(admit('input-1')).toEqual({
      kind: 'answer',
      answer: { turnId: 'turn/acme/case-42/1', status: 'repeated' },
    });
    expect(state.view.queued).toHaveLength(300);
  });
});
