import { z } from 'zod';
import { Price } from './api-config.ts';
import { PermissionRule, PlanTask, Question } from './event.ts';
import { Block, FinishReason, Json, Msg, Usage } from './message.ts';
import { PermissionMode } from './permission-mode.ts';

export { PermissionMode, PlanTask as Task };

/*
 * What the HTTP API answers. Fields are only ever added, so readers must let pass what they do not know.
 */

const count = z.number().int();
const state = z.enum(['idle', 'running', 'waiting']);

export const SessionPermissions = z.object({
  mode: PermissionMode.exactOptional(),
  rules: z.array(PermissionRule),
});

const names = z.array(z.string()).readonly().exactOptional();

const Approval = z.object({
  by: z
    .union([z.enum(['anyone', 'requester', 'not_requester']), z.object({ people: names, roles: names })])
    .exactOptional(),
  count: count.exactOptional(),
});

/** A call that waits at a gate. `arguments` is JSON as text, as the model wrote it, without the values of secret fields. */
export const Gate = z.object({
  callId: z.string(),
  sessionId: z.string(),
  turn: count,
  agent: z.string().exactOptional(),
  /** Of a call in a session below: the names that lead down to it. */
  path: z.array(z.string()).exactOptional(),
  name: z.string(),
  arguments: z.string(),
  state: z.enum([
    'pending',
    'allowed',
    'asking',
    'held',
    'submitted',
    'uncertain',
    'success',
    'error',
    'denied',
    'interrupted',
  ]),
  createdAt: z.string(),
  reason: z.string().exactOptional(),
  suggestedRules: z.array(PermissionRule).exactOptional(),
  isSafety: z.boolean().exactOptional(),
  question: Question.exactOptional(),
  /** It asks in the middle of its execution: its worker waits for the answer, and not for long. */
  isRunning: z.literal(true).exactOptional(),
  votes: z
    .array(
      z.object({
        actor: z.string(),
        arguments: z.string(),
        remember: z.array(PermissionRule).exactOptional(),
      }),
    )
    .exactOptional(),
  /** Who may answer; absent: anyone who may approve. */
  approval: Approval.exactOptional(),
  /** How many different people must allow what those in `votes` allowed; absent: one. */
  votesNeeded: count.exactOptional(),
  /** What happens when nobody answers until then. */
  deadline: z.object({ dueAt: z.string(), action: z.enum(['deny', 'escalate', 'wait']) }).exactOptional(),
});

export const SessionSummary = z.object({
  sessionId: z.string(),
  owner: z.string(),
  agent: z.string(),
  state,
  /** Number of the newest turn; 0 when none. */
  turn: count,
  /** Of the newest turn. */
  turnId: z.string().exactOptional(),
  usage: Usage,
  permissions: SessionPermissions,
  metadata: z.record(z.string(), z.string()),
  /** Id of the newest event; 0 when none: events after it are those still to come. */
  lastEventId: count,
  /** Where it hangs in a tree of sessions; absent at the top. */
  lineage: z
    .object({
      parent: z.string(),
      kind: z.enum(['subagent', 'worker', 'invited']),
      name: z.string(),
      relay: z.enum(['all', 'gates']),
      callId: z.string().exactOptional(),
    })
    .exactOptional(),
  createdAt: z.string(),
  updatedAt: z.string(),
});

const amounts = z.object({ messages: count, turns: count });

/** The team that a session leads, else the one that it is a member of. */
export const Team = z.object({
  name: z.string(),
  description: z.string(),
  /** The leader's session, and its name in the team. */
  leaderSession: z.string(),
  leader: z.string(),
  members: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      sessionId: z.string(),
      agent: z.string(),
      role: z.enum(['created', 'invited']),
      /** `lost`: what it did was ended from outside, and its leader is not told yet. */
      state: z.enum([...state.options, 'lost']),
      /** Of its newest turn, once that has ended. */
      finishReason: FinishReason.exactOptional(),
    }),
  ),
  /** What was used of the limits. */
  counts: amounts,
  limits: amounts.extend({ members: count }),
});

/** A call that went on in the background. */
export const BackgroundTask = z.object({
  /** Of the call as well. */
  taskId: z.string(),
  /** The tool. */
  name: z.string(),
  state: z.enum(['running', 'completed', 'failed', 'cancelled', 'lost']),
  turn: count,
  startedAt: z.string(),
  endedAt: z.string().exactOptional(),
  /** Of a subagent: where it works. */
  taskSessionId: z.string().exactOptional(),
});

export const SessionView = SessionSummary.extend({
  /** Inputs that no workflow has taken up yet, such as those that wait for a worker; absent when there are none. */
  queued: count.exactOptional(),
  pending: z.array(Gate),
  tasks: z.array(PlanTask),
  background: z.array(BackgroundTask),
  team: Team.nullable(),
});

export const Created = z.object({ sessionId: z.string(), agent: z.string() });

export const Submitted = z.object({
  turnId: z.string(),
  sessionId: z.string(),
  status: z.enum(['started', 'queued', 'steered', 'repeated']),
  /** Where the turn's events begin: pass it as `after`. */
  after: count,
});

const turnError = z.object({ code: z.string(), message: z.string() });

export const TurnView = z.object({
  turnId: z.string(),
  sessionId: z.string(),
  turn: count,
  state: z.enum(['queued', 'running', 'waiting', 'ended']),
  run: count,
  usage: Usage,
  pending: z.array(Gate),
  /** Why it waits or ended. */
  finishReason: FinishReason.exactOptional(),
  reply: z
    .object({
      content: z.array(Block),
      text: z.string(),
      /** In the form that its submitter wanted. */
      output: Json.exactOptional(),
    })
    .exactOptional(),
  error: turnError.exactOptional(),
});

export const TurnSummary = z.object({
  turn: count,
  turnId: z.string(),
  inputId: z.string(),
  agent: z.string(),
  revision: z.string(),
  state: z.enum(['running', 'waiting', 'ended']),
  finishReason: FinishReason.exactOptional(),
  replyMessageId: z.string().exactOptional(),
  usage: Usage,
  error: turnError.exactOptional(),
  startedAt: z.string(),
  endedAt: z.string().exactOptional(),
});

export const Accepted = z.object({ accepted: z.array(z.string()) });

export const AuditEntry = z.object({
  id: count,
  at: z.string(),
  turn: count,
  callId: z.string(),
  tool: z.string(),
  behavior: z.enum(['allow', 'ask', 'deny']),
  by: z.string(),
  reason: z.string(),
  rule: PermissionRule.exactOptional(),
  actor: z.string().exactOptional(),
  arguments: z.string(),
});

export const AgentView = z.object({
  name: z.string(),
  description: z.string().exactOptional(),
  model: z.string(),
  tools: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      /** A system outside, or the page, executes it. */
      isExternal: z.literal(true).exactOptional(),
    }),
  ),
  maxIterations: count,
  permissions: z.object({ mode: PermissionMode, rules: z.array(PermissionRule) }),
  revision: z.string(),
});

export const CallAddress = z.object({ callId: z.string(), sessionId: z.string() });

const isThere = z.enum(['ok', 'unavailable']);

export const HealthView = z.object({
  status: isThere,
  dependencies: z.object({ store: isThere, temporal: isThere }),
});

const ScheduleRun = z.object({
  at: z.string(),
  sessionId: z.string(),
  /** Of the run, in Temporal. */
  workflowId: z.string(),
  runId: z.string(),
  /** `unknown`: Temporal does not keep it any more. */
  state: z.enum(['running', 'done', 'failed', 'cancelled', 'unknown']),
  /** Why it failed. */
  error: z.string().exactOptional(),
});

export const Schedule = z.object({
  id: z.string(),
  agent: z.string(),
  cron: z.array(z.string()).exactOptional(),
  everyMs: z.number().exactOptional(),
  isPaused: z.boolean(),
  note: z.string().exactOptional(),
  /** Soonest first. */
  nextRuns: z.array(z.string()),
  lastRun: ScheduleRun.exactOptional(),
});

export const ScheduleView = Schedule.extend({
  owner: z.string(),
  input: z.string(),
  timezone: z.string().exactOptional(),
  session: z.string().exactOptional(),
  permissionMode: PermissionMode,
  actor: z.string().exactOptional(),
  overlap: z.string(),
  catchUpMs: z.number(),
  /** The newest last. */
  recentRuns: z.array(ScheduleRun),
  counts: z.object({ runs: count, leftOutByOverlap: count, leftOutAsMissed: count }),
});

/** `isWhole`: there are no more than these. */
export const ScheduleList = z.object({ items: z.array(Schedule), isWhole: z.boolean() });

const pipelineState = z.enum(['running', 'done', 'failed', 'cancelled']);

export const PipelineStarted = z.object({ id: z.string() });

/** `isWhole`: there are no more than these. */
export const PipelineList = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      state: pipelineState,
      startedAt: z.string(),
      endedAt: z.string().exactOptional(),
    }),
  ),
  isWhole: z.boolean(),
});

export const PipelineView = z.object({
  id: z.string(),
  state: pipelineState,
  /** Turns that answered, and those that run now; absent where no worker answers, and of one that failed or was cancelled. */
  turns: count.exactOptional(),
  running: count.exactOptional(),
  /** What its last step said; empty when it failed. */
  text: z.string().exactOptional(),
  /** Where and why it failed. */
  error: z.string().exactOptional(),
  /** Items of fan-outs that failed, where others did not. */
  failures: z.array(z.object({ place: z.string(), what: z.string(), message: z.string() })).exactOptional(),
});

export const LoadView = z.object({
  gates: z.object({ asking: count, submitted: count, uncertain: count }),
  queued: z.object({ workflows: count, activities: count }),
});

export const ServiceView = z.object({
  /** Whose sessions the caller works on, who it is, and what it may do. */
  owner: z.string(),
  principal: z.string(),
  scopes: z.array(z.string()),
  /** Of a million tokens, by model, as the server's config has them. */
  prices: z.record(z.string(), Price),
  /** Where people look at runs. */
  temporalWeb: z.object({ url: z.string(), namespace: z.string() }).exactOptional(),
});

export const Live = z.object({ status: z.literal('ok') });

const page = <T extends z.ZodType>(item: T) =>
  z.object({
    items: z.array(item),
    /** Pass it as `cursor`; absent on the last page. */
    nextCursor: z.string().exactOptional(),
  });

export const SessionPage = page(SessionSummary);
export const MessagePage = page(Msg);
export const TurnPage = page(TurnSummary);
export const GatePage = page(Gate);
export const AuditPage = page(AuditEntry);
export const AgentList = z.object({ items: z.array(AgentView) });

/** `cost` by the prices of the server's config, in their currency; absent where it knows none. */
export const DayUsage = z.object({
  day: z.string(),
  agent: z.string(),
  turns: count,
  usage: Usage,
  cost: z.number().exactOptional(),
});
export const UsageList = z.object({ items: z.array(DayUsage) });

/** RFC 9457. */
export const ProblemView = z.object({
  /** Stable: what kind of problem it is. */
  type: z.string(),
  title: z.string(),
  status: count,
  /** What happened this time, and what to do. */
  detail: z.string(),
  /** The last part of `type`. */
  code: z.string(),
  requestId: z.string(),
  /** By field, where the request was malformed. */
  errors: z.array(z.object({ path: z.string(), message: z.string() })).exactOptional(),
});
