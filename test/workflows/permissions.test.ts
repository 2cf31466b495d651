import { mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { GateNotice } from '../../src/activities/deps.ts';
import { defineAgent, type AgentOptions } from '../../src/agents/define-agent.ts';
import type { PendingCall, Session, Turn } from '../../src/client/index.ts';
import { askUser } from '../../src/tools/ask-user.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { Latch } from '../support/latch.ts';
import { readEvents } from '../support/read-events.ts';
import { startStack, type Stack, type StackOptions } from '../support/stack.ts';

let stack: Stack;
afterEach(() => stack.stop());

let acted: string[] = [];
const send = defineTool({
  name: 'send',
  description: 'Sends a mail',
  input: z.object({ to: z.string(), password: z.string().optional() }),
  concurrencySafe: true,
  secrets: ['password'],
  suggestRules: ({ to }) => [{ tool: 'send', pattern: `to=${to}`, behavior: 'allow' }],
  execute({ to, password }) {
    acted.push(password === undefined ? to : `${to} with ${password}`);
    return `sent to ${to}`;
  },
});

async function start(
  permissions: AgentOptions['permissions'] = {},
  more: Partial<AgentOptions & StackOptions> = {},
) {
  acted = [];
  const { tools = [send], ...options } = more;
  const agent = defineAgent({
    name: 'mailer',
    model: 'openai/gpt-test',
    instructions: 'Be brief.',
    tools,
    permissions,
  });
  stack = await startStack({ agents: [agent], ...options });
  return stack.session(agent);
}

async function pendingOf(turn: Turn): Promise<PendingCall[]> {
  return (await turn.result()).pending;
}

async function allow(session: Session, [call]: PendingCall[], more: object = {}, actor?: string) {
  await session.confirm(
    [{ callId: call?.callId ?? '', decision: 'allow', ...more }],
    actor === undefined ? {} : { actor },
  );
}

describe('rules', () => {
  it('of agent, owner and session decide before anybody is asked, and the audit says which did', async () => {
    const session = await start(
      { allow: ['send(to=ann)'], deny: ['send(to=eve)'] },
      { rulesOf: () => [{ tool: 'send', pattern: 'to=bob', behavior: 'allow' }] },
    );
    stack.model.says('Hi.');
    await (await session.submit('Hi')).result();
    await session.setPermissions({ addRules: [{ tool: 'send', pattern: 'to=cid', behavior: 'allow' }] });
    stack.model
      .calls([
        ['send', { to: 'ann' }],
        ['send', { to: 'bob' }],
        ['send', { to: 'cid' }],
        ['send', { to: 'eve' }],
      ])
      .says('Sent.');
    expect((await (await session.submit('Mail all')).result()).text).toBe('Sent.');
    expect(acted.toSorted()).toEqual(['ann', 'bob', 'cid']);
    const { items } = await session.audit();
    expect(items.map(({ behavior, by, rule }) => `${behavior} by ${by} of ${rule?.source}`)).toEqual([
      'allow by allow_rule of agent',
      'allow by allow_rule of owner',
      'allow by allow_rule of session',
      'deny by deny_rule of agent',
    ]);
  });

  it('that a person remembers settle the siblings that they cover, which were not asked twice', async () => {
    const session = await start();
    stack.model
      .calls([
        ['send', { to: 'ann' }],
        ['send', { to: 'ann' }],
        ['send', { to: 'bob' }],
      ])
      .says('Sent.');
    const turn = await session.submit('Mail');
    const pending = await pendingOf(turn);
    expect(pending.map(({ arguments: args }) => args)).toEqual(['{"to":"ann"}', '{"to":"bob"}']);
    await allow(session, pending, { remember: pending[0]?.suggestedRules });
    await allow(session, pending.slice(1));
    await turn.result({ until: 'end' });
    expect(acted.toSorted()).toEqual(['ann', 'ann', 'bob']);
    stack.model.calls('send', { to: 'ann' }).says('Again.');
    expect((await (await session.submit('Once more')).result()).text).toBe('Again.');
  });

  it('are held against what a person approves or edits: an approval is no way around a deny', async () => {
    const session = await start({ deny: ['send(to=eve)'] });
    stack.model.calls('send', { to: 'ann' }).says('Done.');
    const turn = await session.submit('Mail');
    const pending = await pendingOf(turn);
    await expect(allow(session, pending, { input: { to: 'eve' } })).rejects.toThrow(
      /may not be approved.*deny send\(to=eve\)/,
    );
    await allow(session, pending);
    await turn.result({ until: 'end' });
    expect(acted).toEqual(['ann']);
  });
});

describe('modes', () => {
  it('dont_ask denies what would be asked; the agent may be set to stop there', async () => {
    const session = await start({ mode: 'dont_ask', stopsWhenAllDenied: true });
    stack.model.calls('send', { to: 'ann' });
    const turn = await session.submit('Mail');
    expect((await turn.result()).finishReason).toBe('acting_stop_requested');
    expect((await readEvents(turn.events())).map(({ kind }) => kind)).toContain('all_tools_denied');
  });

  it('accept_edits lets edits inside the working directories pass, links resolved', async () => {
    const inside = await mkdtemp(join(tmpdir(), 'inside-'));
    const outside = await mkdtemp(join(tmpdir(), 'outside-'));
    await symlink(outside, join(inside, 'link'));
    const edit = defineTool({
      name: 'edit',
      description: 'Edits a file',
      input: z.object({ path: z.string() }),
      editTargets: ({ path }) => [path],
      execute: ({ path }) => void acted.push(path),
    });
    const session = await start({ mode: 'accept_edits', workingDirectories: [inside] }, { tools: [edit] });
    stack.model
      .calls('edit', { path: join(inside, 'new', 'file') })
      .calls('edit', { path: join(inside, 'link', 'file') });
    const turn = await session.submit('Edit');
    expect(await pendingOf(turn)).toMatchObject([{ arguments: expect.stringContaining('link') as string }]);
    expect(acted).toEqual([join(inside, 'new', 'file')]);
  });

  it('set for a session holds for what it does next', async () => {
    const session = await start();
    stack.model.says('Hi.');
    await (await session.submit('Hi')).result();
    await session.setPermissions({ mode: 'bypass' });
    stack.model.calls('send', { to: 'ann' }).says('Sent.');
    expect((await (await session.submit('Mail')).result()).text).toBe('Sent.');
  });
});

describe('who may answer', () => {
  it('four eyes: not the one who asked', async () => {
    const session = await start({ approval: { by: 'not_requester' } });
    stack.model.calls('send', { to: 'ann' }).says('Sent.');
    const turn = await session.submit('Mail', { actor: { id: 'rita' } });
    const pending = await pendingOf(turn);
    await expect(allow(session, pending)).rejects.toThrow(/name an actor/);
    await expect(allow(session, pending, {}, 'rita')).rejects.toThrow(/may not answer it/);
    await allow(session, pending, {}, 'sam');
    expect((await turn.result({ until: 'end' })).text).toBe('Sent.');
    expect((await session.audit()).items.at(-1)).toMatchObject({
      by: 'person',
      actor: 'sam',
      behavior: 'allow',
    });
  });

  it('several people must allow the same arguments, each once', async () => {
    const session = await start({ approval: { count: 2 } });
    stack.model.calls('send', { to: 'ann' }).says('Sent.');
    const turn = await session.submit('Mail');
    const pending = await pendingOf(turn);
    await allow(session, pending, {}, 'rita');
    await expect(allow(session, pending, {}, 'rita')).rejects.toThrow(/somebody else must too/);
    expect((await session.get())?.pending).toMatchObject([{ votes: [{ actor: 'rita' }] }]);
    await allow(session, pending, { input: { to: 'bob' } }, 'sam');
    await allow(session, pending, { input: { to: 'bob' } }, 'tom');
    await turn.result({ until: 'end' });
    expect(acted).toEqual(['bob']);
  });
});

describe('new text while a gate is open', () => {
  it('is refused with what is pending, unless the caller says what to do with it', async () => {
    const session = await start();
    stack.model.calls('send', { to: 'ann' }).says('Never mind then.').says('After.');
    const turn = await session.submit('Mail');
    await pendingOf(turn);
    await expect(session.submit('hello?')).rejects.toMatchObject({
      code: 'waiting',
      message: expect.stringMatching(/send call_.*asking/) as string,
    });
    const queued = await session.submit('later', { ifBusy: 'queue' });
    expect(queued.status).toBe('queued');
    await session.submit('do not mail, just say hi', { ifBusy: 'deny' });
    expect((await turn.result({ until: 'end' })).text).toBe('Never mind then.');
    expect((await queued.result()).text).toBe('After.');
    expect(acted).toEqual([]);
    const [, second] = stack.model.requests;
    expect(second?.messages.map(({ text }) => text).slice(-2)).toEqual([
      expect.stringContaining('wrote something else'),
      'do not mail, just say hi',
    ]);
  });
});

describe('deadlines', () => {
  it('deny a call that nobody answers', async () => {
    const session = await start({ deadline: { afterMs: 1, action: 'deny' } });
    stack.model.calls('send', { to: 'ann' }).says('Nobody answered.');
    const reply = await (await session.submit('Mail')).result({ until: 'end' });
    expect(reply.text).toBe('Nobody answered.');
    expect((await session.audit()).items.at(-1)).toMatchObject({ by: 'deadline', behavior: 'deny' });
  });

  it('escalate to other people, and tell the hook', async () => {
    const told = new Latch<GateNotice>();
    const session = await start(
      {
        approval: { by: { people: ['rita'] } },
        deadline: { afterMs: 1, action: 'escalate', escalateTo: { by: { people: ['boss'] } } },
      },
      { onGate: (notice) => told.open(notice) },
    );
    stack.model.calls('send', { to: 'ann' }).says('Sent.');
    const turn = await session.submit('Mail');
    const pending = await pendingOf(turn);
    expect(await told.promise).toMatchObject({ kind: 'escalated', call: { name: 'send' } });
    await expect(allow(session, pending, {}, 'rita')).rejects.toThrow(/only boss may answer/);
    await allow(session, pending, {}, 'boss');
    expect((await turn.result({ until: 'end' })).text).toBe('Sent.');
  });
});

describe('secrets', () => {
  it('in arguments reach the tool alone: not events, transcript, audit, pending list or the next request', async () => {
    const session = await start();
    stack.model.calls('send', { to: 'ann', password: 'hunter2' }).says('Sent.');
    const turn = await session.submit('Mail');
    const pending = await pendingOf(turn);
    await allow(session, pending);
    await turn.result({ until: 'end' });
    expect(acted).toEqual(['ann with hunter2']);
    const seen = JSON.stringify([
      pending,
      await readEvents(turn.events()),
      await session.messages(),
      await session.audit(),
      stack.model.requests[1]?.body,
    ]);
    expect(seen).toContain('[secret]');
    expect(seen).not.toContain('hunter2');
  });
});

describe('ask_user', () => {
  it('gives the person’s answer as its result, and takes only an answer that fits', async () => {
    const session = await start({}, { tools: [askUser()] });
    stack.model
      .calls('ask_user', { question: 'Which size?', options: [{ label: 'S' }, { label: 'L' }] })
      .says('L it is.');
    const turn = await session.submit('Buy a shirt');
    const pending = await pendingOf(turn);
    expect(pending).toMatchObject([{ question: { options: [{ label: 'S' }, { label: 'L' }] } }]);
    await expect(allow(session, pending)).rejects.toThrow(/give an answer/);
    await expect(allow(session, pending, { answer: 'XXL' })).rejects.toThrow(/one of: S, L/);
    await allow(session, pending, { answer: 'L' });
    expect((await turn.result({ until: 'end' })).text).toBe('L it is.');
    expect(stack.model.requests[1]?.results()[0]?.text).toBe('L');
    const asked = (await readEvents(turn.events())).find(({ kind }) => kind === 'require_user_confirm');
    expect(asked).toMatchObject({
      calls: [{ question: { question: 'Which size?', isFree: false, isSecret: false } }],
    });
  });

  it('keeps a secret answer from the model, and puts it in where a tool runs', async () => {
    const session = await start({ allow: ['send'] }, { tools: [askUser(), send] });
    stack.model.calls('ask_user', { question: 'Password?', secret: true });
    const turn = await session.submit('Mail ann');
    const pending = await pendingOf(turn);
    stack.model.calls('send', { to: 'ann', password: `{{secret:${pending[0]?.callId}}}` }).says('Sent.');
    await allow(session, pending, { answer: 'hunter2' });
    await turn.result({ until: 'end' });
    expect(acted).toEqual(['ann with hunter2']);
    expect(JSON.stringify(stack.model.requests.map(({ body }) => body))).not.toContain('hunter2');
    expect(JSON.stringify(await readEvents(turn.events()))).not.toContain('hunter2');
  });
});
