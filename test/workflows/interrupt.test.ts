import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { says } from '../../src/testing/index.ts';
import { Latch } from '../support/latch.ts';
import { readEvents, waitForEvent } from '../support/read-events.ts';
import { pay } from '../support/pay-tool.ts';
import { startStack, type Stack } from '../support/stack.ts';

let stack: Stack;
afterEach(() => stack.stop());

function anAgent(...tools: ReturnType<typeof defineTool>[]) {
  return defineAgent({ name: 'busy', model: 'openai/gpt-test', instructions: 'Be brief.', tools });
}

describe('interrupt', () => {
  it('closes the model’s stream, keeps what was said, and leaves the session fit for the next turn', async () => {
    const agent = anAgent();
    stack = await startStack({ agents: [agent] });
    stack.model.hangs({
      before: 'afterChunks',
      chunks: 4,
      step: says('One, two, three, four, five, six, seven, eight, nine.'),
    });
    const session = stack.session(agent);
    const turn = await session.submit('Count');
    await waitForEvent(turn.events(), 'text_delta');
    await session.interrupt('the user left');
    await stack.model.waitForAbort();
    const reply = await turn.result();
    expect(reply.finishReason).toBe('interrupted');

    const { items } = await session.messages();
    expect(items[1]).toMatchObject({ role: 'assistant', finishReason: 'interrupted' });
    expect(items[1]?.content[0]).toMatchObject({
      type: 'text',
      text: expect.stringMatching(/^One/) as string,
    });
    const events = await readEvents(turn.events());
    expect(events.find(({ kind }) => kind === 'interrupted')).toMatchObject({ reason: 'the user left' });

    stack.model.says('Still here.');
    expect((await (await session.submit('Are you there?')).result()).text).toBe('Still here.');
  });

  it('aborts running tools, and pairs every call that it left open', async () => {
    const began = new Latch();
    const aborted = new Latch<unknown>();
    const wait = defineTool({
      name: 'wait',
      description: 'Waits',
      input: z.object({}),
      permission: 'allow',
      execute: (_input, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted.open(signal.reason);
            reject(signal.reason as Error);
          });
          began.open();
        }),
    });
    const agent = anAgent(wait);
    stack = await startStack({ agents: [agent] });
    stack.model.calls([
      ['wait', {}],
      ['wait', {}],
    ]);
    const session = stack.session(agent);
    const turn = await session.submit('Wait');
    await began.promise;
    await session.interrupt();
    await aborted.promise;
    expect((await turn.result()).finishReason).toBe('interrupted');

    stack.model.says('Stopped.');
    await (await session.submit('What happened?')).result();
    const results = stack.model.requests[1]?.results().map(({ text }) => text) ?? [];
    expect(results).toHaveLength(2);
    expect(results[0]).toMatch(/may have taken effect/);
    expect(results[1]).toMatch(/before this call had a result/);
  });

  it('ends a turn that waits at a gate', async () => {
    const agent = anAgent(pay);
    stack = await startStack({ agents: [agent] });
    stack.model.calls('pay', {});
    const session = stack.session(agent);
    const turn = await session.submit('Pay');
    const [call] = (await turn.result()).pending;
    await session.interrupt();
    expect((await turn.result({ until: 'end' })).finishReason).toBe('interrupted');
    await expect(session.confirm([{ callId: call?.callId ?? '', decision: 'allow' }])).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('does nothing to a session that is idle', async () => {
    const agent = anAgent();
    stack = await startStack({ agents: [agent] });
    await stack.session(agent).interrupt();
    stack.model.says('Hello.');
    const turn = await stack.session(agent).submit('Hi');
    await turn.result();
    await stack.session(agent).interrupt();
    expect((await turn.result()).finishReason).toBe('model_stop');
  });
});

describe('steer', () => {
  it('is taken in before the next model call of the running turn', async () => {
    const [began, goOn] = [new Latch(), new Latch()];
    const work = defineTool({
      name: 'work',
      description: 'Works',
      input: z.object({}),
      readOnly: true,
      async execute() {
        began.open();
        await goOn.promise;
        return 'worked';
      },
    });
    const agent = anAgent(work);
    stack = await startStack({ agents: [agent] });
    stack.model.calls('work', {}).says('In euros: 5.');
    const session = stack.session(agent);
    const turn = await session.submit('Work');
    await began.promise;
    const steered = await session.steer('use euros', { idempotencyKey: 'steer-1' });
    expect(steered).toMatchObject({ id: turn.id, status: 'steered' });
    await session.steer('use euros', { idempotencyKey: 'steer-1' });
    goOn.open();
    expect((await turn.result()).text).toBe('In euros: 5.');
    const asked = stack.model.requests[1]?.messages.map(({ role, text }) => `${role}: ${text}`);
    expect(asked?.slice(-2)).toEqual(['tool: worked', 'user: use euros']);
  });

  it('becomes a turn of its own when nothing runs', async () => {
    const agent = anAgent();
    stack = await startStack({ agents: [agent] });
    stack.model.says('Hello.');
    const turn = await stack.session(agent).steer('Hi');
    expect(turn.status).toBe('started');
    expect((await turn.result()).text).toBe('Hello.');
  });
});
