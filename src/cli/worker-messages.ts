import { z } from 'zod';
import { AgentView } from '../schema/api-answers.ts';

/*
 * What a command and the worker process that it started tell each other. The worker first loads the config and says what it came to; then
 * it is told where Temporal is; then it is ready. It ends by SIGTERM, or when the command is gone.
 */

export const ToWorker = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('load'), flags: z.record(z.string(), z.string()) }),
  /** `address` of the embedded server, where the settings name none. */
  z.object({
    kind: z.literal('start'),
    address: z.string().optional(),
    logLevel: z.enum(['WARN', 'ERROR']),
  }),
]);
export type ToWorker = z.infer<typeof ToWorker>;

const Loaded = z.object({
  kind: z.literal('loaded'),
  /** Source files that the config was made of. */
  files: z.array(z.string()),
  agents: z.array(AgentView),
  address: z.string().optional(),
  namespace: z.string(),
  store: z.string(),
  taskQueue: z.string(),
});
export type Loaded = z.infer<typeof Loaded>;

const Failed = z.object({
  kind: z.literal('failed'),
  code: z.string(),
  message: z.string(),
  files: z.array(z.string()),
});
export type Failed = z.infer<typeof Failed>;

export const FromWorker = z.discriminatedUnion('kind', [
  Loaded,
  Failed,
  z.object({ kind: z.literal('ready') }),
]);
export type FromWorker = z.infer<typeof FromWorker>;
