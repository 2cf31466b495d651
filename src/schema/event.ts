import { z } from 'zod';
import {
  DataSource,
  ExecutedCall,
  FinishReason,
  Json,
  ModelFinishReason,
  Msg,
  ToolResultState,
  Usage,
} from './message.ts';

export const PermissionRule = z.object({
  tool: z.string(),
  pattern: z.string().exactOptional(),
  behavior: z.enum(['allow', 'ask', 'deny']),
  source: z.enum(['agent', 'owner', 'session', 'confirmation']).exactOptional(),
  by: z.string().exactOptional(),
  at: z.string().exactOptional(),
});

/** A rule as somebody gives it: one with a slip in a field's name, such as `patern`, would cover more than it says. */
export const GivenRule = z.strictObject(PermissionRule.shape);

export const Question = z.object({
  question: z.string(),
  options: z.array(z.object({ label: z.string(), description: z.string().exactOptional() })).exactOptional(),
  /** Any text is an answer, not only one of the options. */
  isFree: z.boolean(),
  /** The answer is a secret: it is kept out of transcript, events and logs. */
  isSecret: z.boolean(),
  /** Which of its call's questions, where the call asks while it runs: an answer names it as `questionId`. */
  id: z.string().exactOptional(),
});
export type Question = z.infer<typeof Question>;

/** A call as a gate shows it: enough for a person or a system to decide on. */
export const GateCall = z.object({
  callId: z.string(),
  name: z.string(),
  arguments: z.string(),
  reason: z.string().optional(),
  /** Rules that would settle calls like this one, narrowest first: what "remember" may add. */
  suggestedRules: z.array(PermissionRule).optional(),
  /** No allow rule can grant it: it is asked each time. */
  isSafety: z.boolean().optional(),
  /** It asks a person a question; the answer is its result. */
  question: Question.optional(),
});
export type GateCall = z.infer<typeof GateCall>;

/** A task as observers see it: both sides of its dependencies, and whether it can begin. */
export const PlanTask = z.object({
  id: z.string(),
  subject: z.string(),
  description: z.string(),
  state: z.enum(['pending', 'in_progress', 'completed']),
  owner: z.string().exactOptional(),
  blockedBy: z.array(z.string()),
  blocks: z.array(z.string()),
  isBlocked: z.boolean(),
  metadata: z.record(z.string(), Json).exactOptional(),
});

const inMessage = { messageId: z.string() };
const inBlock = { ...inMessage, blockId: z.string() };
const inCall = { ...inMessage, callId: z.string() };

/** The body of each event kind, before the store gives it an id, a session, a turn and a time. */
export const EventBody = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('turn_start'), agent: z.string(), revision: z.string() }),
  z.object({
    kind: z.literal('turn_end'),
    finishReason: FinishReason,
    usage: Usage,
    error: z.object({ code: z.string(), message: z.string() }).optional(),
  }),
  z.object({ kind: z.literal('run_start'), run: z.number().int() }),
  z.object({ kind: z.literal('run_end'), run: z.number().int(), reason: FinishReason }),

  /** A user message that entered the transcript: the turn's input, or a steer. */
  z.object({ kind: z.literal('input'), message: Msg }),
  z.object({ kind: z.literal('hint'), ...inBlock, message: Msg }),

  /** Opens an assistant message. A higher `attempt` of one `messageId` supersedes all that was streamed for it before. */
  z.object({
    kind: z.literal('model_call_start'),
    ...inMessage,
    seq: z.number().int(),
    step: z.number().int(),
    attempt: z.number().int(),
    model: z.string(),
    createdAt: z.string(),
  }),
  z.object({
    kind: z.literal('model_call_end'),
    ...inMessage,
    usage: Usage,
    finishReason: ModelFinishReason,
  }),

  z.object({ kind: z.literal('text_start'), ...inBlock }),
  z.object({ kind: z.literal('text_delta'), ...inBlock, delta: z.string() }),
  z.object({ kind: z.literal('text_end'), ...inBlock }),
  z.object({ kind: z.literal('thinking_start'), ...inBlock }),
  z.object({ kind: z.literal('thinking_delta'), ...inBlock, delta: z.string() }),
  z.object({ kind: z.literal('thinking_end'), ...inBlock, provider: z.record(z.string(), Json).optional() }),
  z.object({ kind: z.literal('data_start'), ...inBlock, mediaType: z.string(), name: z.string().optional() }),
  z.object({ kind: z.literal('data_delta'), ...inBlock, source: DataSource }),
  z.object({ kind: z.literal('data_end'), ...inBlock }),

  z.object({
    kind: z.literal('tool_call_start'),
    ...inCall,
    name: z.string(),
    providerCallId: z.string().optional(),
  }),
  z.object({ kind: z.literal('tool_call_delta'), ...inCall, delta: z.string() }),
  z.object({ kind: z.literal('tool_call_end'), ...inCall, executed: ExecutedCall.optional() }),

  /** Opens a tool message. A higher `attempt` supersedes what was streamed before. */
  z.object({
    kind: z.literal('tool_result_start'),
    ...inCall,
    seq: z.number().int(),
    step: z.number().int(),
    attempt: z.number().int(),
    name: z.string(),
  }),
  /** A streamed piece of the result (`delta`), or progress that is no part of it. */
  z.object({
    kind: z.literal('tool_result_delta'),
    ...inCall,
    delta: z.string().optional(),
    progress: z.object({ message: z.string().optional(), fraction: z.number().optional() }).optional(),
  }),
  /** Closes a tool message. `message` is the committed result: it replaces what was streamed. */
  z.object({ kind: z.literal('tool_result_end'), ...inCall, state: ToolResultState, message: Msg }),

  z.object({ kind: z.literal('require_user_confirm'), calls: z.array(GateCall) }),
  z.object({ kind: z.literal('require_external_execution'), calls: z.array(GateCall) }),
  z.object({ kind: z.literal('require_reconciliation'), calls: z.array(GateCall) }),
  z.object({
    kind: z.literal('gate_answered'),
    callId: z.string(),
    /** Of the question that its call asks while it runs. */
    questionId: z.string().exactOptional(),
    /** `void`: an answer of before counts for nothing, because its call was run again and asks something else. */
    answer: z.enum([
      'allow',
      'deny',
      'vote',
      'answer',
      'external_result',
      'happened',
      'did_not_happen',
      'void',
    ]),
    actor: z.string().optional(),
    reason: z.string().optional(),
  }),
  /** Nobody answered in time: the gate waits on (`overdue`), or for other people (`escalated`). */
  z.object({ kind: z.literal('gate_overdue'), callId: z.string(), escalated: z.boolean() }),
  z.object({ kind: z.literal('all_tools_denied'), callIds: z.array(z.string()) }),
  z.object({ kind: z.literal('interrupted'), reason: z.string() }),
  z.object({ kind: z.literal('compaction'), fromSeq: z.number().int(), droppedMessages: z.number().int() }),
  z.object({ kind: z.literal('team_message'), from: z.string(), text: z.string() }),
  z.object({
    kind: z.literal('team_changed'),
    change: z.enum(['created', 'member_added', 'member_removed', 'deleted']),
    team: z.string(),
    member: z
      .object({
        name: z.string(),
        sessionId: z.string(),
        agent: z.string(),
        role: z.enum(['created', 'invited']),
      })
      .optional(),
  }),
  /** A task of the session's plan was made, changed or deleted; `by` names the session that did it. */
  /** A call went on in the background, or what went on there has ended. The task's id is the call's. */
  z.object({
    kind: z.literal('background_task'),
    callId: z.string(),
    name: z.string(),
    state: z.enum(['running', 'completed', 'failed', 'cancelled', 'lost']),
    /** Of a subagent: where it works. */
    taskSessionId: z.string().exactOptional(),
  }),
  z.object({
    kind: z.literal('task_changed'),
    change: z.enum(['created', 'updated', 'deleted']),
    by: z.string(),
    task: PlanTask,
  }),
  z.object({
    kind: z.literal('error'),
    code: z.string(),
    message: z.string(),
    retryable: z.boolean(),
    attempt: z.number().int().optional(),
  }),
]);
export type EventBody = z.infer<typeof EventBody>;
export type EventKind = EventBody['kind'];

const stamp = z.object({
  /** Monotonic per session, without gaps in what a subscriber is promised: a cursor, usable as SSE `Last-Event-ID`. */
  id: z.number().int(),
  sessionId: z.string(),
  turnId: z.string(),
  at: z.string(),
  /** Set on what happened in a session below this one: the names that lead there. `sessionId` and `turnId` are those of where it happened. */
  path: z.array(z.string()).exactOptional(),
});

/** What every observer of a session sees, live or replayed. */
export const AgentEvent = z.intersection(EventBody, stamp);
export type AgentEvent = EventBody & z.infer<typeof stamp>;
