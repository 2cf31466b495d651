import { z } from 'zod';
import type { Agent } from '../../../src/agents/agent.ts';
import { defineAgent } from '../../../src/agents/define-agent.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import type { Tool } from '../../../src/tools/tool.ts';
import { mcpServer } from '../../../src/mcp/mcp-source.ts';
import { badServer, packageServer } from './load.ts';

export const apiKey = 'k3y-that-nobody-may-see';

/** Asks twice in the middle of its call, and may be run again. */
const tidy: Tool = {
  ...defineTool({
    name: 'tidy',
    description: 'Tidies up',
    input: z.object({}),
    permission: 'allow',
    idempotent: true,
    execute: async (_, { ask, attempt }) => {
      const about = (question: string) =>
        ask({ question, isFree: true, isSecret: false }, { waitMs: 60_000 });
      return JSON.stringify([attempt, await about('Keep which?'), await about('Drop which?')]);
    },
  }),
  waitMs: 120_000,
};

/** An agent with a server that misbehaves on request, and one that asks back. */
export function mcpAgent(log: string): Agent {
  return defineAgent({
    name: 'coder',
    model: 'openai/gpt-test',
    instructions: 'Be brief.',
    tools: [tidy],
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
