import { describe, expect, it } from 'vitest';
import { noUsage } from '../../src/core/usage.ts';
import type { SessionRef } from '../../src/contracts/ids.ts';
import { InvalidPageError, NotInStoreError } from '../../src/store/store-errors.ts';
import type { Store } from '../../src/store/store.ts';
import { closeTurn, newRef, openTurn, openedTurn } from './sample-session.ts';

export function sessionContract(store: () => Store): void {
  describe('sessions', () => {
    it('begin empty and idle', async () => {
      const ref = newRef();
      const session = await store().sessions.open(ref, 'support');
      expect(session).toMatchObject({
        ref,
        agent: 'support',
        state: 'idle',
        control: { queue: [] },
        head: 0,
        contextFrom: 1,
        excludedTurns: [],
        lastEventId: 0,
        lastTurn: 0,
        usage: noUsage,
      });
      expect(await store().sessions.get(ref)).toEqual(session);
    });

    it('keep their agent when opened again', async () => {
      const ref = newRef();
      const first = await store().sessions.open(ref, 'support');
      expect(await store().sessions.open(ref, 'billing')).toEqual(first);
    });

    it('are opened once by many who open at once', async () => {
      const ref = newRef();
      const opened = await Promise.all(
        ['a', 'b', 'c', 'd'].map((agent) => store().sessions.open(ref, agent)),
      );
      expect(new Set(opened.map(({ agent }) => agent)).size).toBe(1);
    });

    it('are nobody else’s: another owner’s session of the same id is another one', async () => {
      const ref = newRef();
      await store().sessions.open(ref, 'support');
      expect(await store().sessions.get({ ...ref, owner: 'else' })).toBeUndefined();
    });

    it('keep their control state', async () => {
      const ref = newRef();
      await store().sessions.open(ref, 'support');
      const control = { queue: [{ turn: 3, inputId: 'i', input: 'nul \u0000, lone \ud800, "quoted"' }] };
      await store().sessions.saveControl(ref, control);
      expect((await store().sessions.get(ref))?.control).toEqual(control);
    });

    describe('while no workflow has them in hand', () => {
      const enqueue = (ref: SessionRef, inputId: string, mayWait = true) =>
        store().sessions.enqueue(ref, 'support', { inputId, input: inputId }, { mayWait });

      it('number inputs in the order in which they come, each once, until its turn is opened', async () => {
        const ref = newRef();
        expect((await enqueue(ref, 'a')).enqueued).toEqual({ turn: 1, status: 'started' });
        expect((await enqueue(ref, 'b')).enqueued).toEqual({ turn: 2, status: 'queued' });
        expect((await enqueue(ref, 'a')).enqueued).toEqual({ turn: 1, status: 'repeated' });
        expect((await enqueue(ref, 'c', false)).enqueued).toBeUndefined();
        const waiting = async () => (await store().sessions.get(ref))?.control.queue.map(({ turn }) => turn);
        expect(await waiting()).toEqual([1, 2]);
        await openTurn(store(), ref, 1);
        expect(await waiting()).toEqual([2]);
      });

      it('give many who come at once a number each', async () => {
        const ref = newRef();
        const answers = await Promise.all(['a', 'b', 'c', 'd'].map((id) => enqueue(ref, id)));
        const turns = answers.map(({ enqueued }) => enqueued?.turn);
        expect(new Set(turns)).toEqual(new Set([1, 2, 3, 4]));
      });

      it('number none once a workflow has claimed them, and go on where it released them', async () => {
        const ref = newRef();
        const { session } = await enqueue(ref, 'a');
        expect(session).toMatchObject({ isClaimed: false, agent: 'support' });
        const claimed = await store().sessions.claim(ref, 'support');
        expect(claimed).toMatchObject({ isClaimed: true, control: { queue: [{ turn: 1, inputId: 'a' }] } });
        expect((await enqueue(ref, 'b')).enqueued).toBeUndefined();
        await openTurn(store(), ref, 1);
        await closeTurn(store(), ref, 1);
        await store().sessions.release(ref);
        expect((await enqueue(ref, 'b')).enqueued).toEqual({ turn: 2, status: 'started' });
      });

      it('are begun by a claim, and take no input of another agent', async () => {
        const ref = newRef();
        expect(await store().sessions.claim(ref, 'billing')).toMatchObject({ agent: 'billing' });
        await store().sessions.release(ref);
        const { session, enqueued } = await enqueue(ref, 'a');
        expect({ agent: session.agent, enqueued }).toEqual({ agent: 'billing', enqueued: undefined });
      });
    });

    it('keep what their maker noted', async () => {
      const ref = newRef();
      await store().sessions.open(ref, 'support', undefined, { ticket: '7' });
      await store().sessions.open(ref, 'support', undefined, { ticket: '8' });
      expect((await store().sessions.get(ref))?.metadata).toEqual({ ticket: '7' });
    });

    it('are erased with all that belongs to them, and begin anew', async () => {
      const ref = await openedTurn(store());
      await store().blobs.put(ref, 'big', [{ type: 'text', text: 'x' }]);
      expect(await store().sessions.erase(ref)).toBe(true);
      expect(await store().sessions.erase(ref)).toBe(false);
      expect(await store().sessions.get(ref)).toBeUndefined();
      expect(await store().blobs.get(ref, 'big')).toBeUndefined();
      expect(await store().sessions.open(ref, 'other')).toMatchObject({ agent: 'other', lastTurn: 0 });
      expect(await store().messages.range(ref, 0, 100)).toEqual([]);
      expect(await store().events.read(ref, 0)).toEqual([]);
    });

    it('must be there before anything is written to them', async () => {
      const writing = store().sessions.saveControl(newRef(), { queue: [] });
      await expect(writing).rejects.toThrow(NotInStoreError);
      await expect(writing).rejects.toThrow('open it first');
    });

    it('are listed newest change first, in pages that neither miss nor repeat one', async () => {
      const { owner } = newRef();
      const ids = ['a', 'b', 'c', 'd', 'e'];
      for (const sessionId of ids) await openedTurn(store(), { owner, sessionId });
      await store().sessions.saveControl({ owner, sessionId: 'b' }, { queue: [] });

      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await store().sessions.list(owner, { limit: 2, ...(cursor ? { cursor } : {}) });
        seen.push(...page.items.map(({ ref }) => ref.sessionId));
        cursor = page.nextCursor;
      } while (cursor);
      const [{ updatedAt } = { updatedAt: '' }] = (await store().sessions.list(owner, { limit: 1 })).items;
      expect(seen.toSorted()).toEqual(ids);
      expect((await store().sessions.get({ owner, sessionId: 'b' }))?.updatedAt).toBe(updatedAt);
    });

    it('are listed by agent and by state', async () => {
      const { owner } = newRef();
      await openedTurn(store(), { owner, sessionId: 'running' });
      await openedTurn(store(), { owner, sessionId: 'idle' });
      await closeTurn(store(), { owner, sessionId: 'idle' }, 1);
      await store().sessions.open({ owner, sessionId: 'other' }, 'billing');
      const list = async (filter: object): Promise<string[]> =>
        (await store().sessions.list(owner, filter)).items.map(({ ref }) => ref.sessionId).toSorted();
      expect(await list({})).toEqual(['idle', 'other', 'running']);
      expect(await list({ agent: 'support' })).toEqual(['idle', 'running']);
      expect(await list({ state: 'idle' })).toEqual(['idle', 'other']);
      expect(await list({ agent: 'support', state: 'running' })).toEqual(['running']);
    });

    it('refuse a limit or a cursor that no list gave, and say which', async () => {
      const { owner } = newRef();
      const list = (page: object) => store().sessions.list(owner, page);
      await expect(list({ limit: 0 })).rejects.toThrow(InvalidPageError);
      await expect(list({ limit: 201 })).rejects.toThrow('limit is 201');
      await expect(list({ cursor: 'garbage' })).rejects.toThrow('cursor');
      await expect(list({ cursor: Buffer.from('[1]').toString('base64url') })).rejects.toThrow(
        InvalidPageError,
      );
    });

    it('add up the usage of their turns', async () => {
      const ref = await openedTurn(store());
      await closeTurn(store(), ref, 1);
      await openTurn(store(), ref, 2);
      await closeTurn(store(), ref, 2);
      expect((await store().sessions.get(ref))?.usage).toMatchObject({ inputTokens: 20, outputTokens: 4 });
    });
  });

  describe('blobs', () => {
    it('are kept before their session is there, and a repeat changes nothing', async () => {
      const ref = newRef();
      await store().blobs.put(ref, 'input-1', [{ type: 'text', text: 'first' }]);
      await store().blobs.put(ref, 'input-1', [{ type: 'text', text: 'second' }]);
      expect(await store().blobs.get(ref, 'input-1')).toEqual([{ type: 'text', text: 'first' }]);
      expect(await store().blobs.get(ref, 'input-2')).toBeUndefined();
    });

    it('go by the beginning of their ids, letter by letter, and no others', async () => {
      const [ref, other] = [newRef(), newRef()];
      const ids = ['a_1/x', 'a_1/y', 'ab1/x', 'A_1/x', 'b'];
      for (const id of ids) await store().blobs.put(ref, id, []);
      await store().blobs.put(other, 'a_1/x', []);
      await store().blobs.remove(ref, 'a_1/');
      await store().blobs.remove(ref, 'a_1/');
      const left = await Promise.all(ids.map((id) => store().blobs.get(ref, id)));
      expect(left).toEqual([undefined, undefined, [], [], []]);
      expect(await store().blobs.get(other, 'a_1/x')).toEqual([]);
    });
  });
}
