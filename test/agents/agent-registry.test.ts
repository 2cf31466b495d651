import { describe, expect, it } from 'vitest';
import { AgentNotFoundError, createAgentRegistry } from '../../src/agents/agent-registry.ts';
import { defineAgent } from '../../src/agents/define-agent.ts';

const support = defineAgent({ name: 'support', model: 'openai/gpt-5-mini', instructions: 'Help.' });
const billing = defineAgent({ name: 'billing', model: 'openai/gpt-5', instructions: 'Bill.' });

describe('createAgentRegistry', () => {
  it('finds agents by name, and lists them as they were defined', () => {
    const registry = createAgentRegistry([support, billing]);
    expect(registry.get('billing')).toBe(billing);
    expect(registry.list()).toEqual([support, billing]);
  });

  it('names the nearest agent and all others when there is none of that name', () => {
    const registry = createAgentRegistry([support, billing]);
    expect(() => registry.get('suport')).toThrow(
      'There is no agent "suport". Did you mean support? The agents are: support, billing.',
    );
    expect(() => registry.get('suport')).toThrow(AgentNotFoundError);
    expect(() => createAgentRegistry([]).get('support')).toThrow('There are no agents.');
  });

  it('holds no two agents of one name', () => {
    const other = defineAgent({ name: 'support', model: 'openai/o5', instructions: 'Help.' });
    expect(() => createAgentRegistry([support, other])).toThrow(
      'agents[0] (openai/gpt-5-mini) and agents[1] (openai/o5)',
    );
  });
});
