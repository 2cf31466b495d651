import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { mcpServer } from '../../src/mcp/mcp-source.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { mcpCommand } from './mcp-command.ts';

const input = z.object({ n: z.number(), bytes: z.number() });
const text = (n: number, bytes: number): string => `${n} `.padEnd(bytes, 'lorem ipsum ');

const lookup = defineTool({
  name: 'lookup',
  description: 'Looks a number up',
  input,
  readOnly: true,
  execute: async ({ n, bytes }) => text(n, bytes),
});
const approve = defineTool({
  name: 'approve',
  description: 'Does what a person has to approve',
  input,
  permission: 'ask',
  execute: async ({ n }) => `approved ${n}`,
});

const shape = {
  model: 'bench/scripted',
  instructions: 'You look numbers up.',
  tools: [lookup, approve],
  maxIterations: 10_000,
};

/** Sends all of a turn, as the peer does. */
export const wide = defineAgent({ ...shape, name: 'wide', contextTokens: 4_000_000 });
/** With the window of a model that nobody described: what is older leaves the context. */
export const usual = defineAgent({ ...shape, name: 'usual' });

/** Its tool is one of an MCP server. */
export const mcp = defineAgent({
  ...shape,
  name: 'mcp',
  tools: [],
  sources: [mcpServer({ name: 'bench', ...mcpCommand, trust: true })],
});

const worker = defineAgent({
  ...shape,
  name: 'bench-worker',
  description: 'Reports',
  instructions: 'You report.',
  tools: [],
});
/** Leads as many workers as a figure wants. */
export const leader = defineAgent({
  ...shape,
  name: 'bench-leader',
  instructions: 'You are in charge.',
  tools: [],
  contextTokens: 4_000_000,
  team: { templates: [worker], maxMembers: 1_000, messageBudget: 10_000, turnBudget: 10_000 },
});
