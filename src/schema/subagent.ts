import { z } from 'zod';
import { milliseconds } from './agent.ts';

/** What of a subagent tool's options is plain data. */
export const SubagentOptions = z.strictObject({
  mode: z
    .enum(['blocking', 'background', 'model decides'], "write 'blocking', 'background' or 'model decides'")
    .default('blocking'),
  context: z
    .union(
      [
        z.literal('fresh'),
        z.strictObject({
          lastMessages: z
            .int('write a whole number of messages')
            .min(1, 'write at least 1')
            .max(100, 'write at most 100'),
        }),
      ],
      "write 'fresh' or { lastMessages: 10 }",
    )
    .default('fresh'),
  limits: z
    .strictObject({
      depth: z
        .int('write a whole number of levels')
        .min(1, 'write at least 1')
        .max(20, 'write at most 20')
        .exactOptional(),
      breadth: z
        .int('write a whole number of subagents')
        .min(1, 'write at least 1')
        .max(1000, 'write at most 1000')
        .default(10),
      maxTokens: z.int('write a whole number of tokens').min(1, 'write at least 1').exactOptional(),
    })
    .prefault({}),
  backgroundAfterMs: milliseconds.exactOptional(),
  concurrencySafe: z.boolean('write true or false').default(true),
});
