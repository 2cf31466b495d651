import { Client } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentTool } from '../../src/agents/agent-tool.ts';
import { defineAgent } from '../../src/agents/define-agent.ts';
import type { Session } from '../../src/client/index.ts';
import { foldEvents } from '../../src/core/fold-events.ts';
import type { AgentEvent } from '../../src/schema/event.ts';
import type { ScriptedRequest } from '../../src/testing/index.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { readEvents, waitForEvent } from '../support/read-events.ts';
import { startStack, type Stack } from '../support/stack.ts';

const lookUp = defineTool({
  name: 'look_up',
  description: 'Looks a word up',
  input: z.object({ word: z.string() }),
  readOnly: true,
  execute: ({ word }) => `${word} is a word`,
});
const publish = defineTool({
  name: 'publish',
  description: 'Publishes a text',
  input: z.object({ text: z.string() }),
  permission: 'ask',
  approval: { by: 'not_requester' },
  execute: () => 'published',
});
const settings = { model: 'openai/gpt-test', maxIterations: 5 };
const researcher = defineAgent({
  ...settings,
  name: 'researcher',
  description: 'Finds things out',
  instructions: 'I am the researcher.',
  tools: [lookUp, publish],
});
const judge = defineAgent({ ...settings, name: 'judge', instructions: 'I am the judge.' });
const editor = defineAgent({
  ...settings,
  name: 'editor',
  instructions: 'I am the editor.',
  tools: [agentTool(researcher), publish],
});
const lead = defineAgent({
  ...settings,
  name: 'lead',
  instructions: 'I am the lead.',
  tools: [
    agentTool(editor),
    agentTool(researcher, { context: { lastMessages: 2 } }),
    agentTool(judge, {
      name: 'verdict',
      output: z.object({ guilty: z.boolean(), years: z.number().default(3) }),
    }),
    agentTool(researcher, { name: 'one_at_a_time', limits: { breadth: 1 } }),
    agentTool(researcher, { name: 'frugal', limits: { maxTokens: 100 } }),
    agentTool('lead', { name: 'myself', limits: { depth: 2 } }),
    lookUp,
  ],
});

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ agents: [lead] });
});
afterAll(() => stack.stop());
afterEach(() => stack.model.assertDone());

/** What this agent says to calls of its own sessions, whatever others say meanwhile. */
const script = (name: string, matches: (request: ScriptedRequest) => boolean = () => true) =>
  stack.model.when((request) => request.system.includes(`I am the ${name}.`) && matches(request));
const pathOf = (event: AgentEvent) => event.path?.join('/') ?? '';
const resultOf = (events: readonly AgentEvent[], name: string) =>
  events.flatMap((event) =>
    event.kind === 'tool_result_end' && !event.path
      ? event.message.content.flatMap((block) =>
          block.type === 'tool_result' && block.name === name
            ? [
                {
                  state: event.state,
                  text: block.content.map((part) => ('text' in part ? part.text : '')).join(''),
                },
              ]
            : [],
        )
      : [],
  );
const withoutPath = (event: AgentEvent): AgentEvent => {
  const { path: _, ...rest } = event;
  return rest;
};
const childrenOf = (session: Session) => stack.client.sessions(session.owner, { parent: session.id });

describe('a blocking subagent', () => {
  it('works in a session of its own, and its answer is the result of the call', async () => {
    script('lead').calls('researcher', { prompt: 'what is a cat?' }).says('A cat is a word.');
    script('researcher').calls('look_up', { word: 'cat' }).says('cat is a word');
    const session = stack.session(lead, 'plain');
    const turn = await session.submit('Tell me about cats');
    const events = await readEvents(turn.events());
    expect(resultOf(events, 'researcher')).toEqual([{ state: 'success', text: 'cat is a word' }]);
    expect(await turn.result()).toMatchObject({ finishReason: 'model_stop', text: 'A cat is a word.' });

    const below = events.filter(({ path }) => path);
    expect(new Set(below.map(pathOf))).toEqual(new Set(['researcher-1-1-1']));
    const [child] = (await childrenOf(session)).items;
    expect(child).toMatchObject({
      ref: { sessionId: 'plain.researcher-1-1-1' },
      agent: 'researcher',
      state: 'idle',
    });
    const own = foldEvents(below.map(withoutPath));
    const stored = await stack.client.session({ owner: session.owner, id: child!.ref.sessionId }).messages();
    expect(own).toEqual(stored.items);
    expect(foldEvents(events)).toEqual((await session.messages()).items);
    expect((await stack.client.sessions(session.owner)).items.map(({ ref }) => ref.sessionId)).toEqual([
      'plain',
    ]);
  });

  it('knows of the conversation what its caller gives it', async () => {
    script('lead').says('Hello').calls('researcher', { prompt: 'sum it up' }).says('done');
    script('researcher').says('summed up');
    const session = stack.session(lead, 'context');
    await (await session.submit('first <words>')).result();
    const seen = stack.model.requests.length;
    await (await session.submit('second words')).result();
    const [request] = stack.model.requests.slice(seen).filter(({ system }) => system.includes('researcher'));
    const text = request!.messages.map((message) => message.text).join('\n');
    expect(text).toContain('Hello</message>');
    expect(text).toContain('second words');
    expect(text).not.toContain('first');
    expect(text).toContain('sum it up');
  });

  it('answers in the form that its tool states', async () => {
    script('lead').calls('verdict', { prompt: 'decide' }).says('done');
    script('judge').says('guilty!').calls('submit_output', { guilty: true });
    const events = await readEvents((await stack.session(lead, 'form').submit('Judge him')).events());
    expect(resultOf(events, 'verdict')).toEqual([{ state: 'success', text: '{"guilty":true,"years":3}' }]);
  });

  it('fails as a tool does: the caller goes on', async () => {
    script('lead').calls('researcher', { prompt: 'fail' }).says('It failed, sorry.');
    script('researcher').fails(400);
    const turn = await stack.session(lead, 'fails').submit('Try');
    const events = await readEvents(turn.events());
    expect(resultOf(events, 'researcher')).toMatchObject([
      { state: 'error', text: expect.stringContaining('researcher failed') },
    ]);
    expect(await turn.result()).toMatchObject({ finishReason: 'model_stop', text: 'It failed, sorry.' });
  });

  it('stands beside other calls of its step, as many at once as its breadth says', async () => {
    const prompts = ['a', 'b', 'c'];
    script('lead')
      .calls([
        ...prompts.map((prompt) => ['one_at_a_time', { prompt }] as const),
        ['look_up', { word: 'dog' }],
      ])
      .says('all done');
    for (const prompt of prompts)
      script('researcher', ({ messages }) => messages[0]?.text === prompt).says(`did ${prompt}`);
    const events = await readEvents((await stack.session(lead, 'breadth').submit('Go')).events());
    expect(
      resultOf(events, 'one_at_a_time')
        .map(({ text }) => text)
        .toSorted(),
    ).toEqual(['did a', 'did b', 'did c']);
    expect(resultOf(events, 'look_up')).toHaveLength(1);
    const turns = events.filter(({ kind, path }) => path && (kind === 'turn_start' || kind === 'turn_end'));
    expect(turns.map(({ kind }) => kind)).toEqual(prompts.flatMap(() => ['turn_start', 'turn_end']));
  });

  it('ends when its tokens are used up, and the caller is told', async () => {
    script('lead').calls('frugal', { prompt: 'long' }).says('too long');
    script('researcher').calls('look_up', { word: 'x' }, { tokens: { input: 90, output: 20 } });
    const events = await readEvents((await stack.session(lead, 'tokens').submit('Go')).events());
    expect(resultOf(events, 'frugal')).toMatchObject([
      { state: 'error', text: expect.stringContaining('limit of 100 tokens') },
    ]);
    expect(events).toContainEqual(
      expect.objectContaining({ kind: 'turn_end', finishReason: 'budget_exceeded' }),
    );
  });

  it('calls itself no deeper than is stated', async () => {
    const deep =
      (depth: number) =>
      ({ messages }: ScriptedRequest) =>
        messages[0]?.text === `level ${depth}`;
    script('lead', deep(0)).calls('myself', { prompt: 'level 1' }).says('0');
    script('lead', deep(1)).calls('myself', { prompt: 'level 2' }).says('1');
    script('lead', deep(2)).calls('myself', { prompt: 'level 3' }).says('2');
    const session = stack.session(lead, 'deep');
    const events = await readEvents((await session.submit('level 0')).events());
    const refused = events.filter((event) => event.kind === 'tool_result_end' && event.state === 'error');
    expect(refused.map(pathOf)).toEqual(['myself-1-1-1/myself-1-1-1']);
    expect(JSON.stringify(refused)).toContain('at most 2 levels');
  });
});

describe('a gate of a subagent', () => {
  it('two levels down is shown at the top with its path, and its answer lets all go on', async () => {
    script('lead').calls('editor', { prompt: 'write' }).says('It is out.');
    script('editor').calls('researcher', { prompt: 'publish it' }).says('edited');
    script('researcher').calls('publish', { text: 'news' }).says('published');
    const session = stack.session(lead, 'gates');
    const turn = await session.submit('Publish the news', { actor: 'ann' });
    const asked = await waitForEvent(turn.events(), 'require_user_confirm');
    expect(pathOf(asked)).toBe('editor-1-1-1/researcher-1-1-1');
    const pending = (await session.get())?.pending;
    expect(pending).toMatchObject([
      { name: 'publish', path: ['editor-1-1-1', 'researcher-1-1-1'], sessionId: asked.sessionId },
    ]);
    expect((await turn.result()).pending).toEqual(pending);
    const allow = [{ callId: pending![0]!.callId, decision: 'allow' as const }];
    // She asked for it, through two agents.
    await expect(session.confirm(allow, { actor: 'ann' })).rejects.toMatchObject({ code: 'forbidden' });
    await session.confirm(allow, { actor: 'tom' });
    expect(await turn.result({ until: 'end' })).toMatchObject({
      finishReason: 'model_stop',
      text: 'It is out.',
    });
  });
});

describe('an answer at the subagent itself', () => {
  it('counts as well, once', async () => {
    script('lead').calls('editor', { prompt: 'publish' }).says('It is out.');
    script('editor').calls('publish', { text: 'news' }).says('published');
    const session = stack.session(lead, 'below');
    const turn = await session.submit('Publish the news', { actor: 'ann' });
    const asked = await waitForEvent(turn.events(), 'require_user_confirm');
    const answer = [{ callId: asked.calls[0]!.callId, decision: 'allow' as const }];
    await stack.client
      .session({ owner: session.owner, id: asked.sessionId })
      .confirm(answer, { actor: 'tom' });
    await turn.result({ until: 'end' });
    await expect(session.confirm(answer, { actor: 'tom' })).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('an interrupt', () => {
  it('goes down the tree, and each level keeps what it has', async () => {
    script('lead').calls('editor', { prompt: 'write' });
    script('editor').calls('researcher', { prompt: 'publish it' });
    script('researcher').calls('publish', { text: 'news' });
    const session = stack.session(lead, 'interrupted');
    const turn = await session.submit('Publish the news');
    await waitForEvent(turn.events(), 'require_user_confirm');
    await session.interrupt('enough');
    const events = await readEvents(turn.events());
    const ends = events.filter((event) => event.kind === 'turn_end');
    expect(ends.map(({ finishReason }) => finishReason)).toEqual([
      'interrupted',
      'interrupted',
      'interrupted',
    ]);
    expect(ends.map(pathOf)).toEqual(['editor-1-1-1/researcher-1-1-1', 'editor-1-1-1', '']);
    expect(resultOf(events, 'editor')).toMatchObject([{ state: 'interrupted' }]);
    expect(events).toContainEqual(
      expect.objectContaining({
        kind: 'interrupted',
        reason: 'enough',
        path: ['editor-1-1-1', 'researcher-1-1-1'],
      }),
    );
  });

  it('of the subagent alone is an error that its caller reads', async () => {
    script('lead').calls('researcher', { prompt: 'publish it' }).says('It was stopped.');
    script('researcher').calls('publish', { text: 'news' });
    const session = stack.session(lead, 'interrupted-below');
    const turn = await session.submit('Publish the news');
    const asked = await waitForEvent(turn.events(), 'require_user_confirm');
    await stack.client.session({ owner: session.owner, id: asked.sessionId }).interrupt('not this one');
    const events = await readEvents(turn.events());
    expect(resultOf(events, 'researcher')).toMatchObject([
      { state: 'error', text: 'researcher was interrupted: not this one' },
    ]);
  });
});

describe('a caller whose workflow is ended from outside', () => {
  it('leaves no turn open below it', async () => {
    script('lead').calls('editor', { prompt: 'write' }).says('A new one.');
    script('editor').calls('publish', { text: 'news' });
    const session = stack.session(lead, 'terminated');
    const turn = await session.submit('Publish the news');
    const asked = await waitForEvent(turn.events(), 'require_user_confirm');
    const { workflow } = new Client({ connection: stack.connection });
    await workflow.getHandle(turn.id).terminate();
    expect(await turn.result({ until: 'end' })).toMatchObject({ finishReason: 'error' });
    const below = stack.client.session({ owner: session.owner, id: asked.sessionId });
    expect(await below.turn(1).result()).toMatchObject({ finishReason: 'error' });
    expect((await session.get())?.pending).toEqual([]);
    expect(await (await session.submit('Go on')).result()).toMatchObject({ text: 'A new one.' });
  });
});

describe('the session of a subagent', () => {
  it('takes no input of its own', async () => {
    script('lead').calls('researcher', { prompt: 'publish it' }).says('ok');
    script('researcher').calls('publish', { text: 'news' });
    const session = stack.session(lead, 'busy');
    const turn = await session.submit('Go');
    const asked = await waitForEvent(turn.events(), 'require_user_confirm');
    const below = stack.client.session({ owner: session.owner, id: asked.sessionId });
    await expect(below.submit('and me?')).rejects.toMatchObject({ code: 'conflict' });
    await below.interrupt();
    await turn.result({ until: 'end' });
  });
});
