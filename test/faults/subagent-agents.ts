import { z } from 'zod';
import { agentTool } from '../../src/agents/agent-tool.ts';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';

const assistant = defineAgent({
  name: 'assistant',
  model: 'openai/gpt-test',
  instructions: 'I am the assistant.',
});

const long = {
  description: 'Takes long',
  input: z.object({}),
  permission: 'allow',
  backgroundAfterMs: 1,
} as const;

/** An agent whose calls are turns below it, or go on in the background: on the first attempt these are never done. */
export const chief = defineAgent({
  name: 'chief',
  model: 'openai/gpt-test',
  instructions: 'I am the chief.',
  tools: [
    agentTool(assistant),
    defineTool({
      ...long,
      name: 'repeatable',
      idempotent: true,
      execute: (_, { attempt, signal, progress }) => {
        progress({ message: `attempt ${attempt}` });
        return attempt > 1 ? 'done at last' : untilStopped(signal);
      },
    }),
    defineTool({ ...long, name: 'once', execute: (_, { signal }) => untilStopped(signal) }),
  ],
});

function untilStopped(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
}
