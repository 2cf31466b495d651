import { afterEach, describe, expect, it } from 'vitest';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { says } from '../../src/testing/index.ts';
import { createWorker } from '../../src/worker/create-worker.ts';
import { readEvents } from '../support/read-events.ts';
import { startStack, type Stack } from '../support/stack.ts';

let stack: Stack;
afterEach(() => stack.stop());

const agent = defineAgent({
  name: 'talker',
  model: 'openai/gpt-test',
  instructions: 'Be brief.',
  maxModelAttempts: 3,
});

async function ask(text: string) {
  const turn = await stack.session(agent).submit(text);
  return { turn, reply: await turn.result() };
}

describe('a model error', () => {
  it.each([
    [401, 'ModelAuthentication'],
    [403, 'ModelAuthentication'],
    [404, 'ModelNotFound'],
    [422, 'ModelRejectedRequest'],
  ])(
    'of status %i ends the turn at once with the provider’s words, and the next turn works',
    async (status, code) => {
      stack = await startStack({ agents: [agent] });
      stack.model.fails(status, { body: { error: { message: 'as the provider says', code: null } } });
      const { reply } = await ask('Hi');
      expect(reply).toMatchObject({
        finishReason: 'error',
        error: { code, message: expect.stringContaining('as the provider says') as string },
      });
      expect(stack.model.requests).toHaveLength(1);
      stack.model.says('Hello.');
      expect((await ask('Hi again')).reply.text).toBe('Hello.');
    },
  );

  it('that may pass is tried again, as the endpoint asks, and each failed attempt is told', async () => {
    stack = await startStack({ agents: [agent] });
    stack.model.fails(429, { retryAfter: 0 }).fails(503).says('At last.');
    const { turn, reply } = await ask('Hi');
    expect(reply.text).toBe('At last.');
    const events = await readEvents(turn.events());
    expect(
      events.flatMap((event) =>
        event.kind === 'error' ? [[event.code, event.retryable, event.attempt]] : [],
      ),
    ).toEqual([
      ['rate_limited', true, 1],
      ['overloaded', true, 2],
    ]);
    expect(events.flatMap((event) => (event.kind === 'model_call_start' ? event.attempt : []))).toEqual([3]);
  });

  it('that does not pass is given up on after the attempts that the agent allows', async () => {
    stack = await startStack({ agents: [agent] });
    stack.model.fails(500).fails(500).fails(500);
    const { reply } = await ask('Hi');
    expect(reply.error).toMatchObject({
      code: 'ModelUnavailable',
      message: expect.stringContaining('3 attempts') as string,
    });
    stack.model.assertDone();
  });

  it('in mid-stream supersedes what was streamed, and the retry says so', async () => {
    stack = await startStack({ agents: [agent] });
    stack.model
      .breaksAfter(3, says('The wrong beginning of an answer that never ends.'))
      .says('The right answer.');
    const { turn, reply } = await ask('Hi');
    expect(reply.text).toBe('The right answer.');
    const starts = (await readEvents(turn.events())).filter(({ kind }) => kind === 'model_call_start');
    expect(starts.at(-1)).toMatchObject({ attempt: 2 });
  });

  it('about the request does not poison the session, even when what is malformed lies further back', async () => {
    stack = await startStack({ agents: [agent] });
    stack.model.answers(({ messages }) =>
      messages.some(({ text }) => text.includes('poison'))
        ? { kind: 'failure', status: 400, headers: {}, body: { error: { message: 'malformed', code: null } } }
        : says(`${messages.length} message(s)`),
    );
    expect((await ask('some poison')).reply.error?.code).toBe('ModelRejectedRequest');
    expect((await ask('Hi')).reply.text).toBe('1 message(s)');
  });

  it('about an old message costs one turn at most', async () => {
    stack = await startStack({ agents: [agent] });
    let isStrict = false;
    stack.model.answers(({ messages }) =>
      isStrict && messages.some(({ text }) => text.includes('old'))
        ? { kind: 'failure', status: 400, headers: {}, body: { error: { message: 'malformed', code: null } } }
        : says('Fine.'),
    );
    expect((await ask('something old')).reply.text).toBe('Fine.');
    isStrict = true;
    expect((await ask('first try')).reply.error?.code).toBe('ModelRejectedRequest');
    expect((await ask('second try')).reply.text).toBe('Fine.');
    expect((await ask('third')).reply.text).toBe('Fine.');
  });

  it('about the context’s size cuts the context and asks again', async () => {
    stack = await startStack({ agents: [agent] });
    stack.model.answers(({ messages }) =>
      JSON.stringify(messages).length > 3000
        ? {
            kind: 'failure',
            status: 400,
            headers: {},
            body: { error: { message: 'too long', code: 'context_length_exceeded' } },
          }
        : says('ok'),
    );
    for (let i = 0; i < 6; i += 1) expect((await ask(`${i} ${'x'.repeat(700)}`)).reply.text).toBe('ok');
  });
});

describe('a worker', () => {
  it('refuses an agent whose model names no provider', async () => {
    stack = await startStack({ agents: [agent] });
    const lost = defineAgent({ name: 'lost', model: 'nowhere/model', instructions: 'x' });
    await expect(createWorker({ agents: [lost], store: stack.content })).rejects.toThrow(
      /no model provider is named "nowhere"/,
    );
  });

  it.each([0, 1, 10])('refuses a cache of %i workflows, in which turns would stall', async (size) => {
    stack = await startStack({ agents: [agent] });
    const options = { agents: [agent], store: stack.content, temporal: { maxCachedWorkflows: size } };
    await expect(createWorker(options)).rejects.toThrow(/must be at least 11/);
  });

  it('ends the turn of an agent that it does not have with the names of those it has', async () => {
    stack = await startStack({ agents: [agent] });
    const turn = await stack.client
      .session({ owner: 'o', id: `s-${stack.taskQueue}`, agent: 'talkr' })
      .submit('Hi');
    expect((await turn.result()).error).toMatchObject({
      code: 'AgentNotFound',
      message: expect.stringContaining('talker') as string,
    });
  });
});
