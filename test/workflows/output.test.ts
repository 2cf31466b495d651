import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { startStack, type Stack } from '../support/stack.ts';

const look = defineTool({
  name: 'look',
  description: 'Looks',
  input: z.object({}),
  readOnly: true,
  execute: () => 'seen',
});
const agent = defineAgent({
  name: 'judge',
  model: 'openai/gpt-test',
  instructions: 'Be brief.',
  tools: [look],
  maxIterations: 3,
});
const steered = defineAgent({
  name: 'steered',
  model: 'openai/gpt-test',
  instructions: 'Be brief.',
  tools: [look],
  toolChoice: ({ step }) => (step === 1 ? { tool: 'look' } : undefined),
});

const Verdict = z.object({
  score: z.number().min(0).max(10),
  on: z.string().transform((text) => new Date(text)),
});
const verdict = { score: 7, on: '2026-01-02T00:00:00.000Z' };

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ agents: [agent, steered] });
});
afterEach(() => stack.model.assertDone());
afterAll(() => stack.stop());

describe('an answer in a wanted form', () => {
  it('comes typed, and as the submitter’s schema reads it', async () => {
    stack.model.calls('look', {}).calls('submit_output', verdict);
    const turn = await stack.session(agent, 'typed').submit('Judge it', { output: Verdict });
    const reply = await turn.result();
    expect(reply.finishReason).toBe('structured_output');
    const day: Date | undefined = reply.output?.on;
    expect(day).toEqual(new Date(verdict.on));
    expect(stack.model.requests.at(-1)?.tools).toEqual(['look', 'submit_output']);
  });

  it('is asked for again after words alone, and after one that does not fit', async () => {
    stack.model.says('Seven.').calls('submit_output', { score: 11 }).calls('submit_output', verdict);
    const session = stack.session(agent, 'again');
    const reply = await (await session.submit('Judge it', { output: Verdict })).result();
    expect(reply.output).toMatchObject({ score: 7 });
    const { items } = await session.messages();
    expect(items.map(({ role, content }) => `${role} ${content[0]?.type}`)).toEqual([
      'user text',
      'assistant text',
      'user hint',
      'assistant tool_call',
      'tool tool_result',
      'assistant tool_call',
      'tool tool_result',
    ]);
    expect(JSON.stringify(items[4])).toContain('score');
  });

  it('is all that is left to the model at the limit, and the turn ends when it will not', async () => {
    const before = stack.model.requests.length;
    for (let i = 0; i < 6; i += 1) stack.model.says('No.');
    const reply = await (
      await stack.session(agent, 'never').submit('Judge it', { output: Verdict })
    ).result();
    expect(reply).toMatchObject({ finishReason: 'max_iterations', text: 'No.' });
    expect(reply).not.toHaveProperty('output');
    const asked = stack.model.requests.slice(before);
    expect(asked.map(({ tools }) => tools.length)).toEqual([2, 2, 2, 1, 1, 1]);
    expect(asked.map(({ body }) => body['tool_choice'])).toEqual([
      undefined,
      undefined,
      undefined,
      ...Array.from({ length: 3 }, () => ({ type: 'function', function: { name: 'submit_output' } })),
    ]);
  });

  it('is refused in a form that no model can be told, and as part of another turn', async () => {
    const session = stack.session(agent, 'refused');
    await expect(session.submit('x', { output: z.string() })).rejects.toMatchObject({
      code: 'invalid_input',
    });
    await expect(session.submit('x', { output: Verdict, ifBusy: 'steer' })).rejects.toThrow(
      'a turn of its own',
    );
  });

  it('may come beside other calls, which run first', async () => {
    stack.model.calls([
      ['look', {}],
      ['submit_output', verdict],
    ]);
    const reply = await (
      await stack.session(agent, 'beside').submit('Judge it', { output: Verdict })
    ).result();
    expect(reply.finishReason).toBe('structured_output');
  });
});

describe('the choice of tools', () => {
  it('is the agent’s, by step', async () => {
    const before = stack.model.requests.length;
    stack.model.calls('look', {}).says('Seen.');
    await (await stack.session(steered, 'choice').submit('Look')).result();
    expect(stack.model.requests.slice(before).map(({ body }) => body['tool_choice'])).toEqual([
      { type: 'function', function: { name: 'look' } },
      undefined,
    ]);
  });
});
