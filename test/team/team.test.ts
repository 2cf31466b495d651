import { tmpdir } from 'node:os';
import { Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import type { PendingCall, Session } from '../../src/client/index.ts';
import { sessionWorkflowId, turnIdOf } from '../../src/contracts/ids.ts';
import { reminderWorkflowId } from '../../src/contracts/reminders.ts';
import { deliver } from '../../src/inbox/deliver.ts';
import { openReminders } from '../../src/reminders/reminder-slot.ts';
import { calls, says } from '../../src/testing/index.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { Latch } from '../support/latch.ts';
import { runCli } from '../cli/cli-process.ts';
import { startStack, type Stack } from '../support/stack.ts';

let [gate, entered] = [new Latch(), new Latch()];
const hold = defineTool({
  name: 'hold',
  description: 'Holds until the test lets go',
  input: z.object({}),
  readOnly: true,
  async execute(_, { signal }) {
    entered.open();
    await Promise.race([
      gate.promise,
      new Promise((_resolve, reject) => signal.addEventListener('abort', reject)),
    ]);
    return 'held';
  },
});
const pay = defineTool({
  name: 'pay',
  description: 'Pays',
  input: z.object({ amount: z.number() }),
  execute: ({ amount }) => `paid ${amount}`,
});
const wire = defineTool({
  name: 'wire',
  description: 'Wires money',
  input: z.object({ amount: z.number() }),
  permission: 'ask',
  approval: { by: 'not_requester' },
  execute: ({ amount }) => `wired ${amount}`,
});
const appraise = defineTool({
  name: 'appraise',
  description: 'Appraises',
  input: z.object({}),
  external: true,
  permission: 'allow',
});
const base = { model: 'openai/gpt-test', maxModelAttempts: 1 };
const clerk = defineAgent({
  ...base,
  name: 'clerk',
  description: 'Pays and appraises',
  instructions: 'You work.',
  tools: [pay, wire, appraise, hold],
  maxIterations: 3,
  reminders: true,
});
const foreman = defineAgent({
  ...base,
  name: 'foreman',
  instructions: 'You lead a part.',
  team: { templates: [clerk] },
});
const lead = defineAgent({
  ...base,
  name: 'lead',
  instructions: 'You are in charge.',
  team: { templates: [clerk, foreman], invites: ['guest'], messageBudget: 6, turnBudget: 12, maxMembers: 4 },
  tools: [pay, wire],
});
const guest = defineAgent({ ...base, name: 'guest', instructions: 'You visit.' });

let stack: Stack;
let temporal: Client;
beforeAll(async () => {
  stack = await startStack({ agents: [lead, guest], sessionLingerMs: 500 });
  temporal = new Client({ connection: stack.connection });
  stack.model.answers(() => says('Noted.'));
});
afterAll(() => stack.stop());

/** Scripts by who is asked: the leader of a session, or a worker by its name. */
const ofLeader = (task: string) =>
  stack.model.when(
    ({ system, messages }) => system.includes('in charge') && messages[0]?.text.includes(task) === true,
  );
const ofWorker = (name: string) =>
  stack.model.when(({ system }) => system.includes(`You are ${name}, a member`));

const creates = (...names: string[]) =>
  calls(
    names.map(
      (name) =>
        [
          'agent_create',
          { name, template: 'clerk', description: `Is ${name}`, prompt: `Work, ${name}.` },
        ] as const,
    ),
  );
const createsTeam = calls('team_create', { name: 'press', description: 'Does it' });
const reports = (content: string) => calls('team_say', { content, to: 'lead' });

/** A leader that has begun its team; its first turn has ended. */
async function aTeam(task: string, ...names: string[]): Promise<Session> {
  const session = stack.session(lead, task);
  ofLeader(task).queue(createsTeam, creates(...names), says('They are at it.'));
  await (await session.submit(`Task ${task}`)).result();
  return session;
}

const at = (session: Session, ...names: string[]) =>
  stack.client.session({ owner: session.owner, id: [session.id, ...names].join('.') });

/** What a session was told, as it reads it. */
async function told(session: Session): Promise<string[]> {
  const { items } = await session.messages({ limit: 200 });
  return items.flatMap(({ content }) =>
    content.flatMap((block) =>
      block.type === 'hint' && block.from ? `${block.from.name}: ${block.text}` : [],
    ),
  );
}

async function resultsOf(session: Session, tool: string): Promise<string[]> {
  const { items } = await session.messages({ limit: 200 });
  return items.flatMap(({ content }) =>
    content.flatMap((block) =>
      block.type === 'tool_result' && block.name === tool
        ? block.content.map((part) => (part.type === 'text' ? part.text : ''))
        : [],
    ),
  );
}

async function hasPending(session: Session): Promise<PendingCall[]> {
  await expect
    .poll(async () => (await session.get())?.pending.length, { timeout: 20_000 })
    .toBeGreaterThan(0);
  return (await session.get())?.pending ?? [];
}

const eventually = (session: Session) => expect.poll(() => told(session), { timeout: 30_000 });

describe('a team', () => {
  it('works: a leader creates workers, and their reports wake it', async () => {
    ofWorker('ann').queue(calls('team_say', { content: 'The answer is 42.', to: ' lead ' }), says('Done.'));
    ofWorker('bob').queue(calls('team_say', { content: 'For everybody' }), says('Done.'));
    const session = await aTeam('works', 'ann', 'bob');
    await eventually(session).toEqual(
      expect.arrayContaining(['ann: The answer is 42.', 'bob: For everybody']),
    );
    expect(await told(at(session, 'ann'))).toContain('lead: Work, ann.');
    await eventually(at(session, 'ann')).toContain('bob: For everybody');
    // She has reported, and a mate's word asks for nothing: she is reminded of nothing.
    await expect.poll(async () => (await at(session, 'ann').get())?.state).toBe('idle');
    expect(await told(at(session, 'ann'))).toHaveLength(2);

    const team = await session.team();
    expect(team).toMatchObject({
      name: 'press',
      leader: 'lead',
      members: [
        { name: 'ann', sessionId: 'works.ann', agent: 'clerk', role: 'created' },
        { name: 'bob', sessionId: 'works.bob' },
      ],
    });
    expect((await at(session, 'ann').get())?.team?.leaderSession).toBe('works');
    const { raw } = await temporal.workflow
      .getHandle(sessionWorkflowId({ owner: session.owner, sessionId: 'works.ann' }))
      .describe();
    expect(raw.workflowExecutionInfo?.parentExecution?.workflowId).toBe(`session/${session.owner}/works`);
  });

  it('is shown on the command line', async () => {
    const { owner } = stack.session(lead);
    const env = { TEMPORAL_ADDRESS: stack.address, DURASCOPE_STORE: stack.storeUrl, DURASCOPE_OWNER: owner };
    const { stdout } = await runCli(['team', 'works'], { cwd: tmpdir(), env });
    expect(stdout).toMatch(/^press: Does it\nled by lead, session works\nused: 2 of 6 messages/);
    expect(stdout).toMatch(/\nann +clerk +\w+.* works\.ann +Is ann\n/);
  });

  it('reminds a worker that does not report three times, and then sends what it said', async () => {
    const worker = ofWorker('cid').calls('hold', {});
    for (const text of ['The sum is 7.', 'I said so.', 'Really.', 'Yes.']) worker.says(text);
    const session = await aTeam('reminds', 'cid');
    await entered.promise;
    // What a person asks meanwhile is no report.
    await at(session, 'cid').submit('And 3 and 4?', { ifBusy: 'queue' });
    gate.open();
    await eventually(session).toEqual([
      expect.stringMatching(/cid ended its work without a report.*The sum is 7\..*I said so.*Yes\./s),
    ]);
    expect((await told(at(session, 'cid'))).slice(1)).toEqual([
      expect.stringMatching(/without a report to lead.*2 more/),
      expect.stringMatching(/1 more/),
      expect.stringMatching(/sent as it is/),
    ]);
  });

  it('tells the leader of a worker that fails, reaches its limit, or is interrupted, and why', async () => {
    [gate, entered] = [new Latch(), new Latch()];
    ofWorker('dan').fails(401);
    ofWorker('eve').queue(calls('hold', {}));
    ofWorker('fay').queue(calls('nothing', {}), calls('nothing', {}), calls('nothing', {}), says('So far.'));
    const session = await aTeam('fails', 'dan', 'eve', 'fay');
    await entered.promise;
    await at(session, 'eve').interrupt('a person stopped it');
    await eventually(session).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^dan: .*dan did not finish: its turn failed/),
        expect.stringMatching(/^eve: .*it was interrupted: a person stopped it/),
        expect.stringMatching(/^fay: .*reached its limit of steps.*So far\./s),
      ]),
    );
  });

  it('shows the gates of workers at the leader, which has ended its turn, and takes each answer once', async () => {
    ofWorker('gus').queue(
      calls([
        ['pay', { amount: 1 }],
        ['pay', { amount: 2 }],
        ['pay', { amount: 3 }],
      ]),
      reports('Paid.'),
    );
    const session = await aTeam('gates', 'gus');
    const [first] = await hasPending(session);
    expect(first).toMatchObject({ name: 'pay', path: ['gus'], sessionId: 'gates.gus' });
    await session.confirm([{ callId: first?.callId ?? '', decision: 'allow' }]);
    await expect(
      at(session, 'gus').confirm([{ callId: first?.callId ?? '', decision: 'allow' }]),
    ).rejects.toThrow(expect.objectContaining({ code: 'conflict' }));
    await expect.poll(async () => (await hasPending(session))[0]?.callId).not.toBe(first?.callId);
    const [second] = await hasPending(session);
    await at(session, 'gus').confirm([{ callId: second?.callId ?? '', decision: 'deny', reason: 'no' }]);
    await expect(session.confirm([{ callId: second?.callId ?? '', decision: 'allow' }])).rejects.toThrow();
    await expect.poll(async () => (await hasPending(session))[0]?.callId).not.toBe(second?.callId);

    // As anybody with Temporal's own tools: a plain signal at the leader, which is idle by now.
    const [third] = await hasPending(session);
    await temporal.workflow.signalWithStart('agentSession', {
      workflowId: sessionWorkflowId({ owner: session.owner, sessionId: session.id }),
      taskQueue: stack.taskQueue,
      args: [{ ref: { owner: session.owner, sessionId: session.id }, agent: 'lead' }],
      signal: 'confirm',
      signalArgs: [{ results: [{ callId: third?.callId, decision: 'allow' }] }],
    });
    await eventually(session).toEqual(['gus: Paid.']);
    expect(await resultsOf(at(session, 'gus'), 'pay')).toEqual([
      'paid 1',
      expect.stringMatching(/no/),
      'paid 3',
    ]);
    const kinds: string[] = [];
    for await (const event of session.events()) {
      if (event.path?.[0] === 'gus') kinds.push(event.kind);
      if (event.kind === 'gate_answered' && event.callId === third?.callId) break;
    }
    expect(kinds).toContain('require_user_confirm');
  });

  it('shows gates two levels deep, and takes answers to them at the top', async () => {
    const session = stack.session(lead, 'deep');
    ofLeader('deep').queue(
      createsTeam,
      calls('agent_create', {
        name: 'hal',
        template: 'foreman',
        description: 'Leads',
        prompt: 'Get it appraised.',
      }),
      says('Hal does it.'),
    );
    ofWorker('hal').queue(
      calls('team_create', { name: 'inner', description: 'Part' }),
      creates('ida'),
      says('Ida does it.'),
    );
    ofWorker('ida').queue(
      calls('appraise', {}),
      calls('team_say', { content: 'Worth 5', to: 'hal' }),
      says('Done.'),
    );
    await (await session.submit('Task deep')).result();
    const [call] = await hasPending(session);
    expect(call).toMatchObject({ name: 'appraise', path: ['hal', 'ida'], sessionId: 'deep.hal.ida' });
    await session.submitExternalResults([{ callId: call?.callId ?? '', state: 'success', content: '5' }]);
    await eventually(at(session, 'hal')).toContain('ida: Worth 5');
    // Whose team is at work is not asked for a report meanwhile.
    expect((await told(at(session, 'hal'))).slice(0, 2)).toEqual(['lead: Get it appraised.', 'ida: Worth 5']);
    await expect(
      session.submitExternalResults([{ callId: call?.callId ?? '', state: 'success', content: '6' }]),
    ).rejects.toThrow();
  });

  it('lets nobody approve what they asked for themselves, through whomever they asked', async () => {
    const session = stack.session(lead, 'eyes');
    ofLeader('eyes').queue(
      createsTeam,
      creates('pat'),
      says('Pat does it.'),
      calls('wire', { amount: 6 }),
      says('All wired.'),
    );
    ofWorker('pat').queue(calls('wire', { amount: 5 }), reports('Wired 5. Wire the rest.'), says('Done.'));
    await (await session.submit('Task eyes', { actor: 'paula' })).result();
    const isConfirmedByAnother = async (name: string) => {
      const [call] = await hasPending(session);
      expect(call?.path?.at(-1) ?? 'lead').toBe(name);
      const allow = [{ callId: call?.callId ?? '', decision: 'allow' as const }];
      await expect(session.confirm(allow, { actor: 'paula' })).rejects.toThrow(
        expect.objectContaining({
          code: 'forbidden',
          message: expect.stringContaining('who asked for it may not answer it'),
        }),
      );
      await session.confirm(allow, { actor: 'quinn' });
    };
    await isConfirmedByAnother('pat');
    await expect.poll(() => resultsOf(at(session, 'pat'), 'wire'), { timeout: 20_000 }).toEqual(['wired 5']);
    // What comes back is asked for by her as well.
    await isConfirmedByAnother('lead');
    await expect.poll(() => resultsOf(session, 'wire'), { timeout: 20_000 }).toEqual(['wired 6']);
  });

  it('tells the leader of a worker whose session was terminated, once: when it runs, rests, or is back', async () => {
    const workflowOf = (one: Session) =>
      temporal.workflow.getHandle(sessionWorkflowId({ owner: one.owner, sessionId: one.id }));
    const isLost = (name: string) => expect.stringMatching(`${name} did not finish.*ended from outside`);

    ofWorker('ott').queue(calls('pay', { amount: 1 }));
    const back = await aTeam('back', 'ott');
    const { owner, id: sessionId } = back;
    await expect
      .poll(() => stack.content.store.calls.openBelow({ owner, sessionId }), { timeout: 20_000 })
      .toHaveLength(1);
    await workflowOf(back).terminate();
    await workflowOf(at(back, 'ott')).terminate();
    expect(await told(back)).toEqual([]);
    expect((await back.team())?.members).toMatchObject([{ name: 'ott', state: 'lost' }]);
    // Nobody can answer its gate once its turn has gone with it.
    const turnId = turnIdOf({ owner, sessionId: 'back.ott' }, 1);
    await expect(temporal.workflow.getHandle(turnId).result()).rejects.toThrow(/parent close policy/);
    expect((await back.get())?.pending).toEqual([]);
    const { items } = await stack.client.gates(owner);
    expect(items.filter((call) => call.sessionId === 'back.ott')).toEqual([]);
    await (await back.submit('What is new?')).result();
    await eventually(back).toEqual([isLost('ott')]);
    expect((await at(back, 'ott').get())?.state).toBe('idle');

    // In a run that did not begin the worker.
    ofWorker('ivo').queue(calls('pay', { amount: 1 }));
    const rests = await aTeam('rests', 'ivo');
    await hasPending(rests);
    await workflowOf(rests).terminate();
    await (await rests.submit('Still there?')).result();
    await workflowOf(at(rests, 'ivo')).terminate();
    await eventually(rests).toEqual([isLost('ivo')]);
    expect((await rests.get())?.pending).toEqual([]);

    [gate, entered] = [new Latch(), new Latch()];
    ofWorker('pia').queue(calls('hold', {}));
    const running = stack.session(lead, 'runs');
    ofLeader('runs').queue(createsTeam, creates('pia'), calls('pay', { amount: 1 }), says('I see.'));
    const turn = await running.submit('Task runs');
    const [call] = await hasPending(running);
    await entered.promise;
    await workflowOf(at(running, 'pia')).terminate();
    await expect.poll(async () => (await at(running, 'pia').get())?.state, { timeout: 20_000 }).toBe('idle');
    await running.confirm([{ callId: call?.callId ?? '', decision: 'allow' }]);
    await turn.result();
    await eventually(running).toEqual([isLost('pia')]);
  });

  it('tells the leader once of a worker that is erased, which does not come back', async () => {
    const isErased = (name: string) => expect.stringMatching(`${name} was erased`);
    ofWorker('abe').queue(calls('pay', { amount: 1 }));
    const session = await aTeam('erased', 'abe', 'una');
    await hasPending(session);
    await at(session, 'abe').erase({ force: true });
    expect((await session.team())?.members.map(({ name }) => name)).toEqual(['una']);
    await eventually(session).toContainEqual(isErased('abe'));
    expect((await session.get())?.pending).toEqual([]);

    // Its leader rests, and its workflow is gone.
    await expect.poll(async () => (await at(session, 'una').get())?.state, { timeout: 20_000 }).toBe('idle');
    await temporal.workflow
      .getHandle(sessionWorkflowId({ owner: session.owner, sessionId: session.id }))
      .terminate();
    await at(session, 'una').erase({ force: true });
    await eventually(session).toContainEqual(isErased('una'));
    const said = await told(session);
    expect(said.filter((text) => text.includes('erased'))).toEqual([isErased('abe'), isErased('una')]);
    for (const name of ['abe', 'una']) expect(await at(session, name).exists()).toBe(false);
    await session.erase({ force: true });
  });

  it('ends: what its workers do is stopped, their last words arrive, and nobody is reached any more', async () => {
    [gate, entered] = [new Latch(), new Latch()];
    ofWorker('jim').queue(calls('hold', {}));
    const session = await aTeam('ends', 'jim', 'kim');
    await entered.promise;
    ofLeader('ends').queue(
      calls('team_delete', {}),
      calls('team_say', { content: 'Hello?', to: 'jim' }),
      says('Over.'),
    );
    await (await session.submit('End it', { ifBusy: 'queue' })).result();
    await eventually(session).toContainEqual(
      expect.stringMatching(/jim did not finish: it was interrupted: its team was ended/),
    );
    expect(await resultsOf(session, 'team_delete')).toEqual(['Team press has ended.']);
    expect(await resultsOf(session, 'team_say')).toEqual([expect.stringMatching(/you are in no team now/)]);
    expect(await session.team()).toBeUndefined();
    expect((await at(session, 'jim').get())?.state).toBe('idle');
  });

  it('ends what its workers have set for later, too', async () => {
    ofWorker('lea').queue(calls('remind_me_at', { when: '2d', text: 'Look' }), says('I wait until then.'));
    const session = await aTeam('later', 'lea');
    await expect
      .poll(async () => (await session.team())?.members[0]?.finishReason, { timeout: 20_000 })
      .toBe('model_stop');
    const lea = { owner: session.owner, sessionId: at(session, 'lea').id };
    const [reminder] = await openReminders(stack.content.store, lea);
    ofLeader('later').queue(calls('team_delete', {}), says('Over.'));
    await (await session.submit('End it', { ifBusy: 'queue' })).result();
    expect(await openReminders(stack.content.store, lea)).toEqual([]);
    // Nor was she told to report while she waited.
    expect(await told(at(session, 'lea'))).toEqual(['lead: Work, lea.']);
    const workflow = temporal.workflow.getHandle(reminderWorkflowId(lea, reminder?.key ?? ''));
    await expect(workflow.result()).rejects.toThrow(/cancel/i);
  });

  it('refuses what would make a mess, in words that help', async () => {
    const visitor = stack.client.session({ owner: stack.session(lead).owner, id: 'visitor', agent: 'guest' });
    const stranger = stack.client.session({ owner: 'somebody-else', id: 'stranger', agent: 'guest' });
    await (await visitor.submit('Hello')).result();
    await (await stranger.submit('Hello')).result();
    const session = await aTeam('mess', 'lea');
    const { sessions } = stack.content.store;
    const above = { owner: session.owner, sessionId: 'above' };
    await sessions.open(above, 'guest');
    await sessions.setLineage(
      { ...above, sessionId: 'mess' },
      { parent: 'above', kind: 'invited', name: 'mess', relay: 'gates' },
    );
    const invites = (id: string, name: string) =>
      calls('agent_invite', { session: id, name, description: 'Visits', prompt: 'Help.' });
    ofLeader('mess').queue(
      createsTeam,
      creates('lea'),
      creates('<b>lea</b>'),
      creates('Lead'),
      invites('stranger', 'sue'),
      invites('mess', 'me'),
      invites('above', 'abe'),
      invites('visitor', 'vic'),
      calls('team_say', { content: 'Hi', to: 'nobody' }),
      says('Well.'),
    );
    const turn = await session.submit('Try all', { ifBusy: 'queue' });
    await turn.result();
    expect((await resultsOf(session, 'team_create')).at(-1)).toMatch(/you lead the team press already/);
    expect((await resultsOf(session, 'agent_create')).slice(1)).toEqual([
      expect.stringMatching(/there is a lea already/),
      expect.stringMatching(/write 1 to 32 letters/),
      expect.stringMatching(/meaning of its own|there is a lead already/),
    ]);
    expect(await resultsOf(session, 'agent_invite')).toEqual([
      expect.stringMatching(/there is no session stranger/),
      expect.stringMatching(/sessions of lead may not be invited/),
      expect.stringMatching(/can't be put below mess/),
      expect.stringMatching(/vic has joined/),
    ]);
    expect((await resultsOf(session, 'team_say')).at(-1)).toMatch(/no nobody in the team.*lead, lea, vic/);

    // Who could not join is no member.
    expect((await session.team())?.members.map(({ name }) => name)).toEqual(['lea', 'vic']);

    // A session has one leader.
    const other = stack.session(lead, 'second');
    ofLeader('second').queue(createsTeam, invites('visitor', 'vic'), says('No.'));
    await (await other.submit('Task second')).result();
    expect(await resultsOf(other, 'agent_invite')).toEqual([
      expect.stringMatching(/belongs to mess already/),
    ]);

    const courier = { temporal, store: stack.content.store, taskQueue: stack.taskQueue };
    const message = { id: 'x', kind: 'team' as const, from: { name: 'x' }, text: 'x' };
    await expect(
      deliver(courier, { owner: 'somebody-else', to: { owner: session.owner, sessionId: 'mess' }, message }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  it('stops at its budget of messages, and says so to whoever sends and to the leader', async () => {
    const session = await aTeam('budget', 'moe');
    ofLeader('budget').queue(
      ...Array.from({ length: 7 }, (_, i) => calls('team_say', { content: `Message ${i}`, to: 'moe' })),
      says('Enough.'),
    );
    await (await session.submit('Chat', { ifBusy: 'queue' })).result();
    const sent = await resultsOf(session, 'team_say');
    expect(sent.filter((text) => text.includes('Delivered'))).toHaveLength(6);
    expect(sent.at(-1)).toMatch(/budget of 6 messages is used up/);
    await eventually(session).toContainEqual(expect.stringMatching(/^the team: .*budget of 6 messages/));
    expect((await session.team())?.counts.messages).toBe(6);
  });

  it('forbids to its workers what is forbidden to the leader, from then on', async () => {
    ofWorker('ned').queue(reports('Ready.'), says('Done.'));
    const session = await aTeam('rules', 'ned');
    await eventually(session).toContain('ned: Ready.');
    await session.setPermissions({ addRules: [{ tool: 'pay', behavior: 'deny' }] });
    ofWorker('ned').queue(calls('pay', { amount: 9 }), reports('It is forbidden.'), says('Done.'));
    ofLeader('rules').queue(calls('team_say', { content: 'Pay.', to: 'ned' }), says('Ned pays.'));
    await (await session.submit('Go on', { ifBusy: 'queue' })).result();
    await eventually(session).toContain('ned: It is forbidden.');
    expect(await resultsOf(at(session, 'ned'), 'pay')).toEqual([expect.stringMatching(/denied/i)]);
  });
});
