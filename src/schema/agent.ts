import { z } from 'zod';
import { ApiConfig } from './api-config.ts';
import { Json } from './message.ts';
import { permissionModes } from './permission-mode.ts';

const longestTimerMs = 2_147_483_647;
export const milliseconds = z
  .int('write whole milliseconds')
  .min(1, 'write at least 1 ms')
  .max(longestTimerMs, `write at most ${longestTimerMs} ms`);
const text = (example: string) =>
  z.string(`write text, such as ${example}`).regex(/\S/, `write text, such as ${example}`);

/** Sampling and reasoning settings of a model, sent only where set. */
export const ModelSettings = z.strictObject({
  temperature: z.number('write a number').min(0, 'write at least 0').exactOptional(),
  topP: z.number('write a number').min(0, 'write 0 to 1').max(1, 'write 0 to 1').exactOptional(),
  maxOutputTokens: z.int('write a whole number of tokens').min(1, 'write at least 1').exactOptional(),
  reasoningEffort: z
    .enum(
      ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
      'write none, minimal, low, medium, high, xhigh or max',
    )
    .exactOptional(),
  parallelToolCalls: z.boolean('write true or false').exactOptional(),
  extra: z.record(z.string(), Json).exactOptional(),
});

/** Time limits of a model call in milliseconds, each optional. */
export const PartialModelTimeouts = z.strictObject({
  connectMs: milliseconds.exactOptional(),
  firstTokenMs: milliseconds.exactOptional(),
  idleMs: milliseconds.exactOptional(),
  totalMs: milliseconds.exactOptional(),
});

const rules = z.array(
  z
    .string("write rules such as 'refund_order' or 'bash(git status:*)'")
    .regex(/^[A-Za-z0-9_-]{1,64}(\(.+\))?$/s, "write rules such as 'refund_order' or 'bash(git status:*)'"),
);

/** Who may answer a gate. */
export const ApprovalPolicy = z.strictObject({
  by: z
    .union(
      [
        z.enum(['anyone', 'requester', 'not_requester']),
        z.strictObject({
          people: z.array(text("'ann'")).exactOptional(),
          roles: z.array(text("'accounting'")).exactOptional(),
        }),
      ],
      "write 'anyone', 'requester', 'not_requester' or { people, roles }",
    )
    .exactOptional(),
  count: z
    .int('write a whole number of people')
    .min(1, 'write at least 1')
    .max(100, 'write at most 100')
    .exactOptional(),
});

/** What happens to a gate that nobody answers. */
export const GateDeadline = z.strictObject({
  afterMs: milliseconds,
  action: z.enum(['deny', 'escalate', 'wait'], "write 'deny', 'escalate' or 'wait'"),
  escalateTo: ApprovalPolicy.exactOptional(),
});

/** An agent's permissions, its rules in short form. */
export const AgentPermissions = z.strictObject({
  mode: z
    .enum(permissionModes, 'write default, explore, accept_edits, dont_ask or bypass')
    .default('default'),
  allow: rules.default([]),
  ask: rules.default([]),
  deny: rules.default([]),
  workingDirectories: z
    .array(z.string().regex(/^([/\\]|[A-Za-z]:)/, "write absolute paths, such as '/srv/work'"))
    .default([]),
  approval: ApprovalPolicy.exactOptional(),
  deadline: GateDeadline.exactOptional(),
  stopsWhenAllDenied: z.boolean('write true or false').default(false),
});
/** As written by users, and as filled in. */
export type AgentPermissionOptions = z.input<typeof AgentPermissions>;
export type ParsedAgentPermissions = z.output<typeof AgentPermissions>;

/** What of an agent's definition is plain data; names, instructions and tools are checked beside it. */
export const AgentSettings = z.strictObject({
  description: text("'Answers questions about orders'").optional(),
  model: z
    .string("write provider/name, such as 'openai/gpt-5-mini'")
    .regex(/^[^/\s]+\/\S+$/, "write provider/name, such as 'openai/gpt-5-mini'"),
  maxIterations: z
    .int('write a whole number of model calls')
    .min(1, 'write at least 1')
    .max(100_000, 'write at most 100000')
    .default(10),
  maxModelAttempts: z
    .int('write a whole number of attempts')
    .min(1, 'write at least 1')
    .max(100, 'write at most 100')
    .default(5),
  contextTokens: z.int('write a whole number of tokens').min(1, 'write at least 1').optional(),
  providerTools: z
    .array(
      z.record(z.string(), Json).refine(({ type }) => typeof type === 'string', "write { type: '…' }"),
      "write the provider's tools, such as [{ type: 'web_search' }]",
    )
    .default([]),
  maxShownTools: z.int('write a whole number of tools').min(1, 'write at least 1').default(60),
  maxResultTokens: z.int('write a whole number of tokens').min(100, 'write at least 100').default(50_000),
  stream: z.boolean('write true or false').default(true),
  tasks: z.boolean('write true or false').default(false),
  reminders: z.boolean('write true or false').default(false),
  permissions: AgentPermissions.prefault({}),
  settings: ModelSettings.default({}),
  timeouts: PartialModelTimeouts.default({}),
});

/** An endpoint, by the provider's name that stands before the slash of an agent's `model`. */
export const ModelProviderConfig = z.strictObject({
  baseUrl: z
    .url({ protocol: /^https?$/, error: "write an address such as 'http://localhost:11434/v1'" })
    .exactOptional(),
  apiKey: text("process.env['OPENAI_API_KEY']").exactOptional(),
  api: z.enum(['chat', 'responses'], "write 'chat' or 'responses'").exactOptional(),
  headers: z.record(z.string(), z.string('write text')).exactOptional(),
  models: z
    .record(
      z.string(),
      z.strictObject({
        contextTokens: z.int('write a whole number of tokens').min(1, 'write at least 1').exactOptional(),
        inputMedia: z.array(z.string("write media types such as 'image/*'")).exactOptional(),
        isReasoning: z.boolean('write true or false').exactOptional(),
      }),
    )
    .exactOptional(),
});
export type ModelProviderConfig = z.infer<typeof ModelProviderConfig>;

/** How Temporal is reached; what is absent comes from the environment. */
export const TemporalConfig = z.strictObject({
  address: text("'localhost:7233'").exactOptional(),
  namespace: text("'default'").exactOptional(),
  apiKey: text("process.env['TEMPORAL_API_KEY']").exactOptional(),
  tls: z
    .union(
      [
        z.boolean(),
        z.strictObject({
          serverName: text("'my.tmprl.cloud'").exactOptional(),
          serverCaCertPath: text("'ca.pem'").exactOptional(),
          clientCertPath: text("'client.pem'").exactOptional(),
          clientKeyPath: text("'client.key'").exactOptional(),
        }),
      ],
      'write true, false or { serverName, serverCaCertPath, clientCertPath, clientKeyPath }',
    )
    .exactOptional(),
});
export type TemporalConfig = z.infer<typeof TemporalConfig>;

/** What of a config is plain data; its agents are checked beside it. */
export const ConfigSettings = z.strictObject({
  store: z
    .string("write 'sqlite:PATH' or 'postgres://USER:PASSWORD@HOST:PORT/DATABASE'")
    .regex(
      /^(sqlite:.+|postgres(ql)?:\/\/.+)$/,
      "write 'sqlite:PATH' or 'postgres://USER:PASSWORD@HOST:PORT/DATABASE'",
    )
    .exactOptional(),
  temporal: TemporalConfig.exactOptional(),
  models: z
    .record(
      z.string().regex(/^[^/\s]+$/, 'a provider has a name without slash or space'),
      ModelProviderConfig,
    )
    .exactOptional(),
  port: z
    .int('write a port from 0 to 65535')
    .min(0, 'write a port from 0 to 65535')
    .max(65_535, 'write a port from 0 to 65535')
    .exactOptional(),
  taskQueue: text("'durascope'").exactOptional(),
  api: ApiConfig.exactOptional(),
});
export type ConfigSettings = z.infer<typeof ConfigSettings>;
