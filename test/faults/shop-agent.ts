import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Agent } from '../../src/agents/agent.ts';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { ToolContext } from '../../src/tools/tool.ts';

/** What a tool did to the world outside. */
export interface Effect {
  tool: string;
  orderId: string;
  idempotencyKey: string;
  attempt: number;
}

const input = z.object({ orderId: z.string() });

/** An agent whose tools act on a file outside of the store, so that a test can count what really happened. */
export function shopAgent(effectsFile: string): Agent {
  const act = (tool: string) => {
    return async ({ orderId }: z.infer<typeof input>, context: ToolContext) => {
      const { idempotencyKey, attempt } = context;
      const effect: Effect = { tool, orderId, idempotencyKey, attempt };
      appendFileSync(effectsFile, `${JSON.stringify(effect)}\n`);
      return `${tool} ${orderId}: done`;
    };
  };
  return defineAgent({
    name: 'shop',
    model: 'openai/gpt-test',
    instructions: 'Be brief.',
    tools: [
      defineTool({ name: 'look', description: 'Reads', input, readOnly: true, execute: act('look') }),
      defineTool({
        name: 'charge',
        description: 'Acts each time',
        input,
        permission: 'allow',
        execute: act('charge'),
      }),
      defineTool({
        name: 'refund',
        description: 'Acts once under a key',
        input,
        permission: 'allow',
        idempotent: true,
        execute: act('refund'),
      }),
      defineTool({
        name: 'ship',
        description: 'Begins, and gets done on the second attempt only',
        input,
        permission: 'allow',
        idempotent: true,
        async execute(order, context) {
          const result = await act('ship')(order, context);
          if (context.attempt > 1) return result;
          context.progress({ message: 'under way' });
          return untilStopped(context.signal);
        },
      }),
      defineTool({
        name: 'block',
        description: 'Blocks its whole process for ever',
        input,
        permission: 'allow',
        async execute(_order, context) {
          context.progress({ message: 'about to block' });
          await observersToBeTold();
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
        },
      }),
      defineTool({
        name: 'pay',
        description: 'Asks first, acts each time',
        input,
        permission: 'ask',
        execute: act('pay'),
      }),
    ],
  });
}

/** Progress is written within milliseconds: by then it is out of the process. */
function observersToBeTold(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 500));
}

function untilStopped(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
}

export function effectsIn(file: string): Effect[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Effect);
}
