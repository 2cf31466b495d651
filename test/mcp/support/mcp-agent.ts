import type { Agent } from '../../../src/agents/agent.ts';
import { defineAgent } from '../../../src/agents/define-agent.ts';
import { mcpServer } from '../../../src/mcp/mcp-source.ts';
import { badServer, packageServer } from './load.ts';

export const apiKey = 'k3y-that-nobody-may-see';

/** An agent with a server that misbehaves on request, and one that asks back. */
export function mcpAgent(log: string): Agent {
  return defineAgent({
    name: 'coder',
    model: 'openai/gpt-test',
    instructions: 'Be brief.',
    sources: [
      mcpServer({ name: 'bad', ...badServer(log), env: () => ({ API_KEY: apiKey }) }),
      mcpServer({
        name: 'everything',
        ...packageServer('everything'),
        trust: true,
        permission: 'allow',
        elicitation: true,
        sampling: { maxCalls: 1, maxTokens: 50 },
      }),
    ],
    permissions: { allow: ['mcp__bad__die', 'mcp__bad__slow', 'mcp__bad__show_env'] },
  });
}
