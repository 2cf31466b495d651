import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { calls, says } from '../../src/testing/index.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { Latch } from '../support/latch.ts';
import { readEvents } from '../support/read-events.ts';
import { startStack, type Stack } from '../support/stack.ts';

let stack: Stack;
afterEach(() => stack.stop());

const lookup = defineTool({
  name: 'lookup',
  description: 'Looks up a word',
  input: z.object({ word: z.string() }),
  readOnly: true,
  execute: ({ word }) => `meaning of ${word}`,
});

async function start(tools: Tool[], maxIterations = 4) {
  const agent = defineAgent({
    name: 'loop',
    model: 'openai/gpt-test',
    instructions: 'Be brief.',
    tools,
    maxIterations,
  });
  stack = await startStack({ agents: [agent] });
  return stack.session(agent);
}

describe('the loop', () => {
  it('asks for a summary without tools when the iterations are used up', async () => {
    const session = await start([lookup], 2);
    stack.model.answers(({ tools }) =>
      tools.length > 0 ? calls('lookup', { word: 'x' }) : says('So far: x.'),
    );
    const reply = await (await session.submit('Look up all words')).result();
    expect(reply).toMatchObject({ finishReason: 'max_iterations', text: 'So far: x.' });
    expect(stack.model.requests.map(({ tools }) => tools.length)).toEqual([1, 1, 0]);
  });

  it('asks again after an empty or thinking-only reply, and sends neither back', async () => {
    const session = await start([]);
    stack.model.says('').thinks('hmm').says('Here.');
    const reply = await (await session.submit('Anything?')).result();
    expect(reply).toMatchObject({ finishReason: 'model_stop', text: 'Here.' });
    expect(stack.model.requests[2]?.messages.map(({ role }) => role)).toEqual(['user']);
  });

  it('tells the model what is wrong with a call, and runs the others', async () => {
    const session = await start([lookup]);
    stack.model
      .calls([
        ['lookup', { word: 'a' }],
        ['look_up', { word: 'b' }],
        ['lookup', { word: 7 }],
        ['lookup', '{"word": "tru'],
      ])
      .says('I see.');
    await (await session.submit('Go')).result();
    const results = stack.model.requests[1]?.results().map(({ text }) => text) ?? [];
    expect(results[0]).toBe('meaning of a');
    expect(results[1]).toContain('lookup');
    expect(results[2]).toMatch(/word/);
    expect(results[3]).toMatch(/not valid JSON/);
    const { items } = await session.messages();
    expect(
      items.flatMap(({ content }) => content).flatMap((b) => (b.type === 'tool_result' ? b.state : [])),
    ).toEqual(['success', 'error', 'error', 'error']);
  });

  it('pairs a call that was cut off at the token limit with an error', async () => {
    const session = await start([lookup]);
    stack.model.calls([['lookup', '{"word": "abc']], { finishReason: 'length' }).says('Shorter now.');
    await (await session.submit('Go')).result();
    expect(stack.model.requests[1]?.results()[0]?.text).toMatch(/cut off at its token limit/);
  });

  it('runs safe neighbours side by side, and an unsafe call alone and in its place', async () => {
    const order: string[] = [];
    const [bothBegan, firstBegan] = [new Latch(), new Latch()];
    const read = defineTool({
      name: 'read',
      description: 'Reads',
      input: z.object({ id: z.string() }),
      readOnly: true,
      async execute({ id }) {
        order.push(`read ${id}`);
        if (id === 'a') {
          firstBegan.open();
          await bothBegan.promise;
        } else if (id === 'b') {
          await firstBegan.promise;
          bothBegan.open();
        }
        return id;
      },
    });
    const write = defineTool({
      name: 'write',
      description: 'Writes',
      input: z.object({ id: z.string() }),
      permission: 'allow',
      execute: ({ id }) => void order.push(`write ${id}`),
    });
    const session = await start([read, write]);
    stack.model
      .calls([
        ['read', { id: 'a' }],
        ['read', { id: 'b' }],
        ['write', { id: 'c' }],
        ['read', { id: 'd' }],
      ])
      .says('Done.');
    await (await session.submit('Go')).result();
    expect(order.slice(0, 2).toSorted()).toEqual(['read a', 'read b']);
    expect(order.slice(2)).toEqual(['write c', 'read d']);
    expect(stack.model.requests[1]?.results().map(({ text }) => text)).toEqual(['a', 'b', 'Done.', 'd']);
  });

  it('ends with the tool’s own words when it returns directly', async () => {
    const direct = defineTool({
      name: 'ticket',
      description: 'Opens a ticket',
      input: z.object({}),
      permission: 'allow',
      returnDirect: true,
      execute: () => 'Ticket 7 is open.',
    });
    const session = await start([direct]);
    stack.model.calls('ticket', {});
    const reply = await (await session.submit('Open one')).result();
    expect(reply).toMatchObject({ finishReason: 'tool_return_direct', text: 'Ticket 7 is open.' });
  });

  it('tells the model of a denial by the tool itself, and observers when all were denied', async () => {
    const forbidden = defineTool({
      name: 'drop_table',
      description: 'Drops a table',
      input: z.object({}),
      permission: () => ({ behavior: 'deny', reason: 'tables are not dropped here' }),
      execute: () => 'never',
    });
    const session = await start([forbidden]);
    stack.model.calls('drop_table', {}).says('I may not.');
    const turn = await session.submit('Drop it');
    const events = await readEvents(turn.events());
    expect(events.map(({ kind }) => kind)).toContain('all_tools_denied');
    expect(stack.model.requests[1]?.results()[0]?.text).toContain('tables are not dropped here');
  });

  it('streams progress and text of a tool while it runs', async () => {
    const slow = defineTool({
      name: 'slow',
      description: 'Takes its time',
      input: z.object({}),
      readOnly: true,
      async *execute(_input, { progress }) {
        progress({ message: 'half way', fraction: 0.5 });
        yield 'first, ';
        yield 'second';
      },
    });
    const session = await start([slow]);
    stack.model.calls('slow', {}).says('Done.');
    await (await session.submit('Go')).result();
    expect(stack.model.requests[1]?.results()[0]?.text).toBe('first, second');
  });
});
