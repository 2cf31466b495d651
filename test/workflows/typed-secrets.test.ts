import { DatabaseSync } from 'node:sqlite';
import { Client } from '@temporalio/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import type { Confirmation } from '../../src/contracts/inputs.ts';
import type { Session } from '../../src/client/index.ts';
import { askUser } from '../../src/tools/ask-user.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { startStack, type Stack } from '../support/stack.ts';

const typed = 'hunter2-typed';
let acted: unknown[] = [];

const login = defineTool({
  name: 'login',
  description: 'Logs in',
  input: z.object({ user: z.string().min(2), password: z.string().max(20) }),
  secrets: ['password'],
  execute(input) {
    acted.push(input);
    return 'logged in';
  },
});
const agent = (name: string, permissions: Parameters<typeof defineAgent>[0]['permissions'] = {}) =>
  defineAgent({ name, model: 'openai/gpt-test', instructions: 'x', tools: [askUser(), login], permissions });
const alone = agent('alone');
const together = agent('together', { approval: { count: 2 } });

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ agents: [alone, together] });
});
afterAll(() => stack.stop());
beforeEach(() => {
  acted = [];
});

async function gate(session: Session) {
  const turn = await session.submit('Go');
  const callId = (await turn.result()).pending[0]?.callId ?? '';
  const confirm = (more: Partial<Confirmation>, actor?: string) =>
    session.confirm([{ callId, decision: 'allow', ...more }], actor === undefined ? {} : { actor });
  return { turn, callId, confirm };
}

/** All that Temporal keeps of a session and its turn, payloads decoded. */
async function historiesOf(session: Session): Promise<string> {
  const { workflow } = new Client({ connection: stack.connection });
  const ids = [`session/${session.owner}/${session.id}`, `turn/${session.owner}/${session.id}/1`];
  const histories = await Promise.all(ids.map((id) => workflow.getHandle(id).fetchHistory()));
  return histories.map(textOf).join('\n');
}

function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.values(value).map(textOf).join('\n');
}

/** What the store holds of the session, by table. */
function rowsOf(session: Session): { table: string; text: string }[] {
  const db = new DatabaseSync(stack.storeUrl.replace('sqlite:', ''));
  try {
    const tables = db.prepare(
      `select name from sqlite_master where name like 'durascope_%' and type = 'table'`,
    );
    return tables.all().flatMap(({ name }) =>
      db
        .prepare(`select * from ${String(name)}`)
        .all()
        .map((row) => ({ table: String(name), text: JSON.stringify(row) }))
        .filter(({ text, table }) => table !== 'durascope_blobs' || text.includes(`"${session.id}"`)),
    );
  } finally {
    db.close();
  }
}

const tablesWith = (session: Session, text: string) =>
  rowsOf(session).flatMap((row) => (row.text.includes(text) ? row.table : []));
const sealedIn = (session: Session) =>
  rowsOf(session).filter(({ table, text }) => table === 'durascope_blobs' && text.includes('"answer/'));

describe('what a person types under seal', () => {
  it('as the answer to a question, is nowhere in Temporal, and in the store for its placeholder alone', async () => {
    const session = stack.session(alone, 'question');
    stack.model.calls('ask_user', { question: 'Password?', secret: true }).says('Thanks.');
    const { turn, confirm } = await gate(session);
    await confirm({ answer: typed });
    expect((await turn.result({ until: 'end' })).text).toBe('Thanks.');

    const histories = await historiesOf(session);
    expect(histories).toContain('confirm');
    expect(histories).not.toContain(typed);
    expect(tablesWith(session, typed)).toEqual(['durascope_blobs']);
    expect(sealedIn(session)).toEqual([]);
  });

  it('in edited arguments, is nowhere in Temporal, and goes from the store with the call', async () => {
    const session = stack.session(alone, 'edit');
    stack.model.calls('login', { user: 'ann', password: 'guess' }).says('In.');
    const { turn, confirm } = await gate(session);
    const tooLong = `${typed}-${'x'.repeat(20)}`;
    await expect(confirm({ input: { user: 'ann', password: tooLong } })).rejects.toMatchObject({
      code: 'unfit_answer',
      message: expect.not.stringContaining(tooLong) as string,
    });
    expect(sealedIn(session).filter(({ text }) => text.includes(typed))).toEqual([]);
    await confirm({ input: { user: 'ann', password: typed } });
    expect((await turn.result({ until: 'end' })).text).toBe('In.');

    expect(acted).toEqual([{ user: 'ann', password: typed }]);
    expect(await historiesOf(session)).not.toContain(typed);
    expect(tablesWith(session, typed)).toEqual([]);
    expect(sealedIn(session)).toEqual([]);
  });

  it('in an edit that several people must agree on, is compared without being carried', async () => {
    const session = stack.session(together, 'votes');
    stack.model.calls('login', { user: 'ann', password: 'guess' }).says('In.');
    const { turn, confirm } = await gate(session);
    await confirm({ input: { user: 'ann', password: typed } }, 'rita');
    await expect(confirm({ input: { password: typed, user: 'ann' } }, 'rita')).rejects.toMatchObject({
      code: 'forbidden',
    });
    await confirm({ input: { user: 'ann', password: 'another' } }, 'sam');
    await confirm({ input: { user: 'ann', password: typed } }, 'tom');
    expect((await turn.result({ until: 'gate' })).pending).toHaveLength(1);
    await confirm({ input: { password: typed, user: 'ann' } }, 'una');
    await turn.result({ until: 'end' });

    expect(acted).toEqual([{ user: 'ann', password: typed }]);
    expect(await historiesOf(session)).not.toContain(typed);
    expect(tablesWith(session, typed)).toEqual([]);
    expect(sealedIn(session)).toEqual([]);
  });

  it('goes with its turn when it comes to nothing', async () => {
    const session = stack.session(together, 'interrupted');
    stack.model.calls('login', { user: 'ann', password: 'guess' });
    const { turn, confirm } = await gate(session);
    await confirm({ input: { user: 'ann', password: typed } }, 'rita');
    expect(sealedIn(session)).not.toEqual([]);
    await session.interrupt('enough');
    await turn.result({ until: 'end' });
    expect(tablesWith(session, typed)).toEqual([]);
    expect(sealedIn(session)).toEqual([]);
  });

  it('may be written into a plain signal all the same, where its history may hold it', async () => {
    const session = stack.session(together, 'signal');
    stack.model.calls('login', { user: 'ann', password: 'guess' }).says('In.');
    const { turn, callId } = await gate(session);
    const { workflow } = new Client({ connection: stack.connection });
    for (const actor of ['rita', 'sam'])
      await workflow.getHandle(turn.id).signal('confirm', {
        actor,
        results: [{ callId, decision: 'allow', input: { user: 'ann', password: typed } }],
      });
    expect((await turn.result({ until: 'end' })).text).toBe('In.');
    expect(acted).toEqual([{ user: 'ann', password: typed }]);
  });

  it('is taken by reference to what was sealed for this call alone', async () => {
    const session = stack.session(alone, 'foreign');
    stack.model.calls('login', { user: 'ann', password: 'guess' }).says('In.');
    const { turn, callId, confirm } = await gate(session);
    const ref = { owner: session.owner, sessionId: session.id };
    await stack.content.store.blobs.put(ref, 'elsewhere', [
      { type: 'text', text: '{"input":{"user":"eve"}}' },
    ]);
    const { workflow } = new Client({ connection: stack.connection });
    for (const sealed of [
      { ref: 'elsewhere', digest: 'd' },
      { ref: `answer/1/${callId}/none`, digest: 'd' },
      7,
    ])
      await expect(
        workflow.getHandle(turn.id).executeUpdate('confirm', {
          args: [{ results: [{ callId, decision: 'allow', sealed }] }],
        }),
      ).rejects.toThrow();
    await confirm({});
    await turn.result({ until: 'end' });
    expect(acted).toEqual([{ user: 'ann', password: 'guess' }]);
  });
});
