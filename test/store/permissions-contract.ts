import { describe, expect, it } from 'vitest';
import type { SessionRef } from '../../src/contracts/ids.ts';
import type { PermissionRule } from '../../src/core/permission.ts';
import type { AuditDraft, CallDraft } from '../../src/store/call-store.ts';
import type { Store } from '../../src/store/store.ts';
import { allowedCall, closeTurn, kindsOf, newRef, openedTurn, result, step } from './sample-session.ts';

const payRule: PermissionRule = { tool: 'pay', pattern: 'amount=5', behavior: 'allow', source: 'session' };
const lookRule: PermissionRule = { tool: 'look', behavior: 'deny', source: 'confirmation' };

function decided(over: Partial<AuditDraft> = {}): AuditDraft {
  return { behavior: 'allow', by: 'allow_rule', reason: 'a rule allows it', arguments: '{"id":1}', ...over };
}

export function permissionsContract(store: () => Store): void {
  const atGate = async (over: Partial<CallDraft> = {}) => {
    const ref = await openedTurn(store());
    await store().calls.commitStep(step(ref, 1, [allowedCall('c1', { state: 'asking', ...over })]));
    return ref;
  };

  describe('permissions of a session', () => {
    const change = (ref: SessionRef, to: Parameters<Store['sessions']['changePermissions']>[1]) =>
      store().sessions.changePermissions(ref, to);

    it('begin without a mode and without rules', async () => {
      const { permissions } = await store().sessions.open(newRef(), 'support');
      expect(permissions).toEqual({ rules: [] });
    });

    it('keep the mode and the rules that are set, each change apart', async () => {
      const ref = newRef();
      await store().sessions.open(ref, 'support');
      expect(await change(ref, { mode: 'explore' })).toEqual({ mode: 'explore', rules: [] });
      expect(await change(ref, { addRules: [payRule] })).toEqual({ mode: 'explore', rules: [payRule] });
      const after = await change(ref, { mode: 'default' });
      expect(after).toEqual({ mode: 'default', rules: [payRule] });
      expect((await store().sessions.get(ref))?.permissions).toEqual(after);
    });

    it('hold a rule once, however often it is added', async () => {
      const ref = newRef();
      await store().sessions.open(ref, 'support');
      await change(ref, { addRules: [payRule, payRule] });
      const again = await change(ref, { addRules: [{ ...payRule, source: 'confirmation' }, lookRule] });
      expect(again.rules).toEqual([payRule, lookRule]);
      const others = [
        { ...payRule, behavior: 'deny' as const },
        { ...payRule, pattern: 'amount=6' },
      ];
      expect((await change(ref, { addRules: others })).rules).toEqual([payRule, lookRule, ...others]);
    });

    it('take all rules anew, and more with them', async () => {
      const ref = newRef();
      await store().sessions.open(ref, 'support');
      await change(ref, { addRules: [payRule] });
      expect((await change(ref, { rules: [lookRule] })).rules).toEqual([lookRule]);
      expect((await change(ref, { rules: [], addRules: [payRule] })).rules).toEqual([payRule]);
      expect((await change(ref, { rules: [] })).rules).toEqual([]);
    });

    it('lose nothing to two changes at once', async () => {
      const ref = newRef();
      await store().sessions.open(ref, 'support');
      const rules = Array.from({ length: 10 }, (_, i): PermissionRule => ({
        ...payRule,
        pattern: `id=${i}`,
      }));
      await Promise.all(rules.map((rule) => change(ref, { addRules: [rule] })));
      const kept = (await store().sessions.get(ref))?.permissions.rules ?? [];
      expect(new Set(kept.map(({ pattern }) => pattern)).size).toBe(rules.length);
    });

    it('survive the turns of their session', async () => {
      const ref = await openedTurn(store());
      const set = await change(ref, { mode: 'dont_ask', rules: [payRule] });
      await closeTurn(store(), ref, 1);
      expect((await store().sessions.open(ref, 'support')).permissions).toEqual(set);
    });
  });

  describe('the audit', () => {
    it('tells of every decision with its call and its tool, oldest first', async () => {
      const rule: PermissionRule = { tool: 'look', behavior: 'allow', source: 'owner' };
      const ref = await openedTurn(store());
      const calls = [
        allowedCall('c1', { audit: decided({ rule }) }),
        allowedCall('c2', { state: 'asking', audit: decided({ behavior: 'ask', by: 'default' }) }),
        allowedCall('c3', { state: 'submitted' }),
      ];
      await store().calls.commitStep(step(ref, 1, calls));
      const person = decided({ by: 'person', actor: 'ann', arguments: '{"id":2}' });
      await store().calls.move(ref, 'c2', { state: 'allowed' }, { audit: person });
      await store().calls.settle(ref, 'c3', result('c3', 'x'), { audit: decided({ by: 'system' }) });

      const { items, nextCursor } = await store().audit.list(ref, {});
      expect(items.map(({ callId, by, tool, turn }) => [callId, by, tool, turn])).toEqual([
        ['c1', 'allow_rule', 'look', 1],
        ['c2', 'default', 'look', 1],
        ['c2', 'person', 'look', 1],
        ['c3', 'system', 'look', 1],
      ]);
      expect(items[0]).toMatchObject({ ...decided({ rule }), at: expect.any(String) as string });
      expect(items[2]).toMatchObject({ actor: 'ann', arguments: '{"id":2}' });
      expect(nextCursor).toBeUndefined();
    });

    it('is listed for one call, and in pages that neither miss nor repeat one', async () => {
      const ref = await openedTurn(store());
      const calls = Array.from({ length: 5 }, (_, i) =>
        allowedCall(`c${i}`, { audit: decided({ reason: `${i}` }) }),
      );
      await store().calls.commitStep(step(ref, 1, calls));
      expect((await store().audit.list(ref, { callId: 'c3' })).items.map(({ reason }) => reason)).toEqual([
        '3',
      ]);
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await store().audit.list(ref, { limit: 2, ...(cursor ? { cursor } : {}) });
        seen.push(...page.items.map(({ callId }) => callId));
        cursor = page.nextCursor;
      } while (cursor);
      expect(seen).toEqual(['c0', 'c1', 'c2', 'c3', 'c4']);
    });

    it('is nobody else’s', async () => {
      const ref = await atGate({ audit: decided() });
      expect((await store().audit.list({ ...ref, owner: 'else' }, {})).items).toEqual([]);
      expect((await store().audit.list({ ...ref, sessionId: 'other' }, {})).items).toEqual([]);
    });

    it('has nothing of a repeat: a decision is recorded with what it decides, once', async () => {
      const ref = await openedTurn(store());
      const calls = [
        allowedCall('c1', { state: 'asking', audit: decided({ behavior: 'ask' }) }),
        allowedCall('c2', { state: 'asking', audit: decided({ behavior: 'ask' }) }),
      ];
      for (const _ of [1, 2]) await store().calls.commitStep(step(ref, 1, calls));
      for (const _ of [1, 2])
        await store().calls.move(ref, 'c1', { state: 'allowed', reason: 'ok' }, { audit: decided() });
      for (const _ of [1, 2])
        await store().calls.settle(ref, 'c2', result('c2', 'no', 'denied'), {
          audit: decided({ behavior: 'deny' }),
        });
      await store().calls.move(ref, 'c2', { state: 'allowed' }, { audit: decided() });
      expect((await store().audit.list(ref, {})).items.map(({ callId }) => callId)).toEqual([
        'c1',
        'c2',
        'c1',
        'c2',
      ]);
    });

    it('has nothing of a step that failed half-way', async () => {
      const ref = await openedTurn(store());
      const twice = allowedCall('c1', { audit: decided() });
      await expect(store().calls.commitStep(step(ref, 1, [twice, twice]))).rejects.toThrow(/unique/i);
      expect((await store().audit.list(ref, {})).items).toEqual([]);
    });
  });

  describe('what a gate shows of a call', () => {
    it('comes back as it was committed: suggested rules, that it is a matter of safety, and a question', async () => {
      const question = { question: 'Which size?', options: [{ label: 'S' }], isFree: false, isSecret: false };
      const shown = { suggestedRules: [payRule], isSafety: true, reason: 'why', question };
      const ref = await atGate(shown);
      expect(await store().calls.get(ref, 'c1')).toMatchObject(shown);
      expect((await store().calls.open(ref.owner, {})).items[0]).toMatchObject(shown);
    });

    it('does not list one that is held back: it has no gate of its own yet', async () => {
      const ref = await atGate({ state: 'held' });
      expect((await store().calls.open(ref.owner, {})).items).toEqual([]);
      await store().calls.move(ref, 'c1', { state: 'asking' });
      expect((await store().calls.open(ref.owner, {})).items).toMatchObject([{ callId: 'c1' }]);
    });

    it('keeps the votes of several people, each with its event', async () => {
      const ref = await atGate();
      const vote = (...actors: string[]) =>
        store().calls.move(
          ref,
          'c1',
          { state: 'asking', votes: actors.map((actor) => ({ actor, arguments: '{}' })) },
          {
            events: [{ kind: 'gate_answered', callId: 'c1', answer: 'vote' }],
            audit: decided({ by: 'person' }),
          },
        );
      await vote('ann');
      await vote('ann');
      await vote('ann', 'bob');
      expect((await store().calls.get(ref, 'c1'))?.votes?.map(({ actor }) => actor)).toEqual(['ann', 'bob']);
      expect(await kindsOf(store(), ref, 3)).toEqual(['gate_answered', 'gate_answered']);
      expect((await store().audit.list(ref, {})).items).toHaveLength(2);
    });
  });

  describe('sealed arguments', () => {
    const secret = { arguments: '{"key":"[secret]"}', sealed: '{"key":"hunter2"}' };

    /** Everything that anybody but the tool reads of a session. */
    const shown = async (ref: SessionRef) =>
      JSON.stringify([
        await store().events.read(ref, 0),
        await store().messages.list(ref, {}),
        await store().audit.list(ref, {}),
      ]);

    it('are kept for the call, and are in no event, message or audit', async () => {
      const ref = await atGate({ ...secret, audit: decided({ arguments: secret.arguments }) });
      expect(await store().calls.get(ref, 'c1')).toMatchObject(secret);
      await store().calls.move(ref, 'c1', { state: 'allowed' });
      const [before] = await store().calls.dispatch(ref, ['c1']);
      expect(before).toMatchObject(secret);
      expect(await shown(ref)).not.toContain('hunter2');
    });

    it('are replaced by those that a person edited', async () => {
      const ref = await atGate(secret);
      const edited = { arguments: '{"key":"[secret]","n":1}', sealed: '{"key":"other","n":1}' };
      await store().calls.move(ref, 'c1', { state: 'allowed', ...edited });
      expect(await store().calls.get(ref, 'c1')).toMatchObject(edited);
    });

    it('are forgotten once the call has its result', async () => {
      const ref = await atGate(secret);
      const settled = await store().calls.settle(ref, 'c1', result('c1', 'done'));
      expect(settled).not.toHaveProperty('sealed');
      expect(await store().calls.get(ref, 'c1')).toEqual(settled);
    });

    it('are forgotten by a call that is settled with its step', async () => {
      const denied = result('c1', 'no', 'denied');
      const ref = await atGate({ ...secret, state: 'denied', result: denied });
      expect(await store().calls.get(ref, 'c1')).not.toHaveProperty('sealed');
    });

    it('are forgotten when the turn ends before the call ran', async () => {
      const ref = await atGate(secret);
      await closeTurn(store(), ref, 1);
      const call = await store().calls.get(ref, 'c1');
      expect(call).toMatchObject({ state: 'interrupted', arguments: secret.arguments });
      expect(call).not.toHaveProperty('sealed');
    });
  });
}
