import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Client } from '@temporalio/client';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { sessionWorkflowId } from '../../src/contracts/ids.ts';
import { submitSignal } from '../../src/contracts/messages.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { media } from '../../src/tools/tool-parts.ts';
import { startStack, type Stack } from '../support/stack.ts';
import { expectPaired, expectWholeStory, observe } from './observe.ts';

/** Over what Temporal takes in one payload (2 MB). */
const large = 'x'.repeat(3_000_000);

const measure = defineTool({
  name: 'measure',
  description: 'Tells the length of a text',
  input: z.object({ text: z.string() }),
  permission: 'allow',
  execute: ({ text }) => `${text.length} characters`,
});
const publish = defineTool({
  name: 'publish',
  description: 'Publishes a text, once a person agrees',
  input: z.object({ text: z.string() }),
  permission: 'ask',
  execute: ({ text }) => `${text.length} characters`,
});
const read = defineTool({
  name: 'read',
  description: 'Reads a large file',
  input: z.object({}),
  readOnly: true,
  execute: () => large,
});
const photo = defineTool({
  name: 'photo',
  description: 'Takes a large picture',
  input: z.object({}),
  readOnly: true,
  execute: () => media({ mediaType: 'image/png', data: Buffer.from(large) }),
});
const appraise = defineTool({
  name: 'appraise',
  description: 'Is done by a system outside',
  input: z.object({}),
  permission: 'allow',
  external: true,
});
const agent = defineAgent({
  name: 'large',
  model: 'openai/gpt-test',
  instructions: 'Be brief.',
  tools: [measure, publish, read, photo, appraise],
  contextTokens: 20_000_000,
});

let stack: Stack;
afterEach(() => stack.stop());

async function historyBytes(workflowId: string): Promise<number> {
  const history = await new Client({ connection: stack.connection }).workflow
    .getHandle(workflowId)
    .fetchHistory();
  return JSON.stringify(history).length;
}

describe('more than Temporal takes in one payload', () => {
  it('as the arguments of a call: the tool gets them, and the history stays small', async () => {
    stack = await startStack({ agents: [agent] });
    stack.model.calls('measure', { text: large }, { fragment: 100_000 }).says('Measured.');
    const session = stack.session(agent);
    const observer = observe(session);
    const turn = await session.submit('Measure it');
    expect((await turn.result()).text).toBe('Measured.');
    expect(stack.model.requests[1]?.results().map(({ text }) => text)).toEqual(['3000000 characters']);
    expectPaired(stack.model.requests[1]!);
    expect(await historyBytes(turn.id)).toBeLessThan(100_000);
    await expectWholeStory(observer, session);
    await observer.stop();
  });

  it('as the arguments of a call that a person confirms', async () => {
    stack = await startStack({ agents: [agent] });
    stack.model.calls('publish', { text: large }, { fragment: 100_000 }).says('Published.');
    const session = stack.session(agent);
    const turn = await session.submit('Publish it');
    const [call] = (await turn.result()).pending;
    await session.confirm([{ callId: call?.callId ?? '', decision: 'allow' }]);
    expect((await turn.result()).text).toBe('Published.');
    expect(await historyBytes(turn.id)).toBeLessThan(100_000);
  });

  it('as a result: it is kept whole; of text the model sees the head and the way to the rest', async () => {
    stack = await startStack({ agents: [agent] });
    stack.model
      .calls([
        ['read', {}],
        ['photo', {}],
      ])
      .says('Read.');
    const session = stack.session(agent);
    const turn = await session.submit('Read it');
    expect((await turn.result()).text).toBe('Read.');
    const [text] = stack.model.requests[1]?.results() ?? [];
    // As a flag: a message with megabytes helps nobody.
    const isCut = /^x{200000}\n\[Cut here, after 200000 of \d+ characters\. Read on with read_result/.test(
      text?.text ?? '',
    );
    expect(isCut).toBe(true);
    const { items } = await session.messages();
    expect(JSON.stringify(items).includes(large)).toBe(true);
    const sent = JSON.stringify(stack.model.requests[1]?.body);
    expect(sent.includes(Buffer.from(large).toString('base64'))).toBe(true);
    expect(await historyBytes(turn.id)).toBeLessThan(100_000);
  });

  it('as an answer at a gate: it is refused with the remedy, and the call still waits', async () => {
    stack = await startStack({ agents: [agent] });
    stack.model.calls('appraise', {}).says('Appraised.');
    const session = stack.session(agent);
    const turn = await session.submit('Appraise it');
    const [call] = (await turn.result()).pending;
    const callId = call?.callId ?? '';
    await expect(
      session.submitExternalResults([{ callId, state: 'success', content: large }]),
    ).rejects.toMatchObject({ code: 'invalid_input', message: expect.stringMatching(/bytes/) as string });
    await session.submitExternalResults([{ callId, state: 'success', content: '5 euros' }]);
    expect((await turn.result()).text).toBe('Appraised.');
  });

  it('as a user’s input: it goes by reference up to a limit, and is refused beyond', async () => {
    stack = await startStack({ agents: [agent] });
    stack.model.says('Read.');
    const session = stack.session(agent);
    const turn = await session.submit(large);
    expect((await turn.result()).text).toBe('Read.');
    expect(stack.model.requests[0]?.lastUserText).toBe(large);
    expect(await historyBytes(turn.id)).toBeLessThan(100_000);
    await expect(session.submit('x'.repeat(5_000_000))).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('as a signal by hand, near the limit: it is ignored, and the session goes on', async () => {
    stack = await startStack({ agents: [agent] });
    stack.model.says('Hello.').says('Still here.');
    const session = stack.session(agent);
    await (await session.submit('Hi')).result();
    const workflowId = sessionWorkflowId({ owner: session.owner, sessionId: session.id });
    await new Client({ connection: stack.connection }).workflow
      .getHandle(workflowId)
      .signal(submitSignal, { id: 'huge', input: 'x'.repeat(1_900_000) });
    expect((await (await session.submit('And now?')).result()).text).toBe('Still here.');
    expect((await session.turns()).items).toHaveLength(2);
  });
});
