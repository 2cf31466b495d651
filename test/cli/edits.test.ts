import { describe, expect, it } from 'vitest';
import { editAmong } from '../../src/cli/edits.ts';
import type { AuditEntry } from '../../src/store/call-store.ts';

const entry = (of: Partial<AuditEntry>): AuditEntry => ({
  id: 1,
  at: '2026-11-01T00:00:00Z',
  turn: 1,
  callId: 'call_1',
  tool: 'refund',
  behavior: 'allow',
  by: 'person',
  reason: 'no reason given',
  arguments: '{"amount":5}',
  ...of,
});
const asked = entry({ behavior: 'ask', by: 'default', arguments: '{"amount": 50, "to": "bob"}' });

describe('editAmong', () => {
  it('finds the arguments that a call was allowed with, and who wrote them', () => {
    const allowed = entry({ actor: 'ann', arguments: '{"amount":5,"to":"bob"}' });
    const reconciled = entry({ actor: 'cid', arguments: '{"amount":5,"to":"bob"}' });
    expect(editAmong([asked, allowed, reconciled])).toEqual({
      callId: 'call_1',
      arguments: '{"amount":5,"to":"bob"}',
      actor: 'ann',
    });
  });

  it('finds none where only the writing differs', () => {
    expect(editAmong([asked, entry({ arguments: '{"to":"bob","amount":50}' })])).toBeUndefined();
  });

  it('finds none where a call is denied after an edit that another person did not share', () => {
    const vote = entry({ actor: 'ann' });
    const denied = entry({ actor: 'bob', behavior: 'deny', arguments: asked.arguments });
    expect(editAmong([asked, vote, denied])).toBeUndefined();
  });

  it('finds none where nothing was decided', () => {
    expect(editAmong([])).toBeUndefined();
  });

  it('takes no arguments for empty ones', () => {
    expect(editAmong([entry({ by: 'default', arguments: '' }), entry({ arguments: '{}' })])).toBeUndefined();
  });
});
