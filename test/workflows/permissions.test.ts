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

async function waitForGate(session: Session, tool: string) {
  for await (const event of session.events())
    if (event.kind === 'require_user_confirm' && event.calls.some(({ name }) => name === tool)) break;
  return { pending: (await session.get())?.pending ?? [] };
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

describe('what a breaker tried', () => {
  it('remembering a rule for another tool, or for one that has an approval policy, is refused', async () => {
    const pay = defineTool({
      name: 'pay',
      description: 'Pays',
      input: z.object({ to: z.string() }),
      approval: { by: { roles: ['accounting'] } },
      execute: ({ to }) => void acted.push(`paid ${to}`),
    });
    const session = await start({}, { tools: [send, pay] });
    stack.model.calls('send', { to: 'ann' }).calls('pay', { to: 'eve' });
    const turn = await session.submit('Go');
    const pending = await pendingOf(turn);
    const forPay = { remember: [{ tool: 'pay', behavior: 'allow' }] };
    await expect(allow(session, pending, forPay)).rejects.toThrow(/not pay/);
    await allow(session, pending);
    const [payment] = (await waitForGate(session, 'pay')).pending;
    expect(pending[0]?.suggestedRules).not.toEqual([]);
    expect(payment?.suggestedRules).toEqual([]);
    const accountant = { actor: { id: 'acc', roles: ['accounting'] } };
    await expect(
      session.confirm([{ callId: payment?.callId ?? '', decision: 'allow', ...forPay } as never], accountant),
    ).rejects.toThrow(/has an approval policy/);
    expect(acted).toEqual(['ann']);
    await session.interrupt();
    await turn.result({ until: 'end' });
  });

  it('a secret comes back neither through a result, nor through a placeholder outside of a secret field', async () => {
    const echo = defineTool({
      name: 'echo',
      description: 'Repeats',
      input: z.object({ text: z.string(), password: z.string() }),
      permission: 'allow',
      secrets: ['password'],
      execute({ text, password }) {
        if (text === 'throw') throw new Error(`no login with ${password}`);
        return `${text} and ${password}`;
      },
    });
    const session = await start({}, { tools: [askUser(), echo] });
    stack.model.calls('ask_user', { question: 'Password?', secret: true });
    const turn = await session.submit('Go');
    const pending = await pendingOf(turn);
    const secret = `{{secret:${pending[0]?.callId}}}`;
    stack.model
      .calls([
        ['echo', { text: secret, password: secret }],
        ['echo', { text: 'throw', password: secret }],
        ['echo', '{"text": "x", "password": hunter2}'],
      ])
      .says('Done.');
    await allow(session, pending, { answer: 'hunter2' });
    await turn.result({ until: 'end' });
    const results =
      stack.model.requests
        .at(-1)
        ?.results('echo')
        .map(({ text }) => text) ?? [];
    expect(results[0]).toBe(`${secret} and [secret]`);
    expect(JSON.stringify([results, await readEvents(turn.events())])).not.toContain('hunter2');
  });

  it('a rule that forbids a call holds even when it comes after the approval', async () => {
    const slow = defineTool({
      name: 'slow',
      description: 'Asks, one after the other',
      input: z.object({ n: z.number() }),
      execute: ({ n }) => void acted.push(String(n)),
    });
    const session = await start({}, { tools: [slow] });
    stack.model
      .calls([
        ['slow', { n: 1 }],
        ['slow', { n: 2 }],
      ])
      .says('Done.');
    const turn = await session.submit('Go');
    const [first, second] = await pendingOf(turn);
    await allow(session, second ? [second] : []);
    await session.setPermissions({ addRules: [{ tool: 'slow', pattern: 'n=2', behavior: 'deny' }] });
    await allow(session, first ? [first] : []);
    await turn.result({ until: 'end' });
    expect(acted).toEqual(['1']);
  });

  it('a call answered twice in one message is answered not at all', async () => {
    const session = await start();
    stack.model.calls('send', { to: 'ann' });
    const turn = await session.submit('Go');
    const callId = (await pendingOf(turn))[0]?.callId ?? '';
    const both = [
      { callId, decision: 'allow' as const },
      { callId, decision: 'deny' as const },
    ];
    await expect(session.confirm(both)).rejects.toThrow(/answered once/);
    await expect(session.confirm([{ callId, decision: 'allow' }], { actor: ' ' })).rejects.toThrow(/actor/);
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
  it('four eyes: nobody who asked, and an edit is allowed by somebody else than its editor', async () => {
    const session = await start({ approval: { by: 'not_requester' } });
    stack.model.calls('send', { to: 'ann' }).says('Sent.');
    const turn = await session.submit('Mail', { actor: { id: 'rita' } });
    const pending = await pendingOf(turn);
    await expect(allow(session, pending)).rejects.toThrow(/name an actor/);
    const refused = { code: 'forbidden', message: expect.stringContaining('may not answer it') as string };
    await expect(allow(session, pending, {}, 'rita')).rejects.toMatchObject(refused);
    await session.steer('and quickly', { actor: 'ruth' });
    await expect(allow(session, pending, {}, 'ruth')).rejects.toMatchObject(refused);
    await allow(session, pending, { input: { to: 'bob' } }, 'sam');
    await expect(allow(session, pending, { input: { to: 'bob' } }, 'sam')).rejects.toMatchObject({
      code: 'forbidden',
    });
    await allow(session, pending, { input: { to: 'bob' } }, 'tom');
    expect((await turn.result({ until: 'end' })).text).toBe('Sent.');
    expect(acted).toEqual(['bob']);
    expect((await session.audit()).items.slice(-2)).toMatchObject([
      { by: 'person', actor: 'sam', behavior: 'allow' },
      { by: 'person', actor: 'tom', behavior: 'allow' },
    ]);
  });

  it('four eyes: nobody at all, once somebody wrote into the turn without a name; who writes too late asks for a turn of their own', async () => {
    const session = await start({ approval: { by: 'not_requester' } });
    stack.model.calls('send', { to: 'ann' });
    const turn = await session.submit('Mail');
    const pending = await pendingOf(turn);
    await expect(allow(session, pending, {}, 'tom')).rejects.toThrow(/without a name/);
    await expect(session.submit('no', { ifBusy: 'deny', actor: 'tom' })).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringMatching(/deny call .*without a name/) as string,
    });
    await session.interrupt();
    expect((await turn.result({ until: 'end' })).finishReason).toBe('interrupted');
    stack.model.calls('send', { to: 'ann' }).says('Sent.');
    const late = await session.steer('Mail after all', { actor: 'sam' });
    const asked = await pendingOf(late);
    await expect(allow(session, asked, {}, 'sam')).rejects.toMatchObject({ code: 'forbidden' });
    await allow(session, asked, {}, 'rita');
    expect((await late.result({ until: 'end' })).text).toBe('Sent.');
  });

  it('several people must allow the same arguments, each once', async () => {
    const session = await start({
      approval: { count: 2 },
      deadline: { afterMs: 3_600_000, action: 'deny' },
    });
    stack.model.calls('send', { to: 'ann' }).says('Sent.');
    const turn = await session.submit('Mail');
    const pending = await pendingOf(turn);
    expect(pending[0]?.deadline).toMatchObject({ action: 'deny' });
    const leftMs = Date.parse(pending[0]?.deadline?.dueAt ?? '') - Date.now();
    expect(leftMs).toBeGreaterThan(3_000_000);
    expect(leftMs).toBeLessThanOrEqual(3_600_000);
    await allow(session, pending, {}, 'rita');
    await expect(allow(session, pending, {}, 'rita')).rejects.toThrow(/somebody else must too/);
    const seen = { votes: [{ actor: 'rita' }], votesNeeded: 2, approval: { count: 2 } };
    expect((await session.get())?.pending).toMatchObject([seen]);
    await allow(session, pending, { input: { to: 'bob' } }, 'sam');
    expect((await session.get())?.pending[0]?.votes?.map(({ actor }) => actor)).toEqual(['sam']);
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
    expect((await session.get())?.pending).toMatchObject([{ approval: { by: { people: ['boss'] } } }]);
    expect((await session.get())?.pending[0]).not.toHaveProperty('deadline');
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
