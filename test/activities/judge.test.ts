import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { judge } from '../../src/activities/judge.ts';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';

const unlock = defineTool({
  name: 'unlock',
  description: 'Opens a door',
  input: z.object({ door: z.string(), pin: z.string() }),
  secrets: ['pin'],
  permission: ({ door, pin }) => ({ behavior: 'ask', reason: `open ${door} with the pin ${pin}?` }),
  suggestRules: ({ door, pin }) => [
    { tool: 'unlock', pattern: `pin=${JSON.stringify(pin)}`, behavior: 'allow' },
    { tool: 'unlock', pattern: `door=${door}`, behavior: 'allow' },
  ],
  execute: () => 'open',
});
const agent = defineAgent({ name: 'porter', model: 'openai/gpt-test', instructions: 'x', tools: [unlock] });

async function judged(pin: string) {
  const session = { ref: { owner: 'o', sessionId: 's' } };
  return judge(agent, unlock, { door: 'front', pin }, session, { mode: 'default', rules: [] });
}

describe('what a tool says about its own call', () => {
  it('tells no secret of it, neither in the reason nor in a rule', async () => {
    const decision = await judged('hunter2');
    expect(decision).toMatchObject({
      behavior: 'ask',
      reason: 'open front with the pin [secret]?',
      suggestedRules: [{ pattern: 'door=front' }],
    });
    expect(JSON.stringify(decision)).not.toContain('hunter2');
  });

  it('leaves a rule out for a short secret too, and for one that is written otherwise in JSON', async () => {
    for (const pin of ['17', 'a"b\\c'])
      expect((await judged(pin)).suggestedRules).toMatchObject([{ pattern: 'door=front' }]);
  });
});

describe('suggested rules', () => {
  const stranger = { tool: 'other', behavior: 'allow' as const };
  const known = { tool: 'move', behavior: 'allow' as const };
  const unreadable = { tool: 'move', pattern: 'anything', behavior: 'allow' as const };
  const move = defineTool({
    name: 'move',
    description: 'Moves',
    input: z.object({}),
    permission: () => ({ behavior: 'ask', reason: 'move?', suggestedRules: [stranger, unreadable, known] }),
    execute: () => 'moved',
  });

  it.each([
    ['those that an answer can add', undefined, [known]],
    ['none where each call needs its own answer', { by: 'not_requester' as const }, []],
    ['none where several people must answer', { count: 2 }, []],
  ])('are %s', async (_, approval, expected) => {
    const mover = defineAgent({
      name: 'mover',
      model: 'openai/gpt-test',
      instructions: 'x',
      tools: [move],
      permissions: approval ? { approval } : {},
    });
    const session = { ref: { owner: 'o', sessionId: 's' } };
    const { suggestedRules } = await judge(mover, move, {}, session, { mode: 'default', rules: [] });
    expect(suggestedRules).toEqual(expected);
  });
});
