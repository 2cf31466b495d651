import { z } from 'zod';
import type { PendingCall } from '../../client/client.ts';
import type { Confirmation, ExternalResult, Reconciliation } from '../../contracts/inputs.ts';
import { gateIdOf, readGateId } from '../../core/asked-in-call.ts';
import { GivenRule } from '../../schema/event.ts';
import { InputPart, Json } from '../../schema/message.ts';
import { Problem } from '../problem.ts';
import type { ResumeEntry } from './ag-ui-request.ts';
import { subagentRunId } from './subagents.ts';
import { jsonOr } from '../chat/conversation.ts';

export interface AgUiInterrupt {
  /** Of the call that waits, or of the question that it asks while it runs. */
  id: string;
  reason: string;
  message: string;
  toolCallId: string;
  responseSchema: Json;
  expiresAt?: string;
  subagentRunId?: string;
  metadata: Json;
}

/** An answer to a call, as the session takes it. */
export type GateAnswer =
  | { kind: 'confirmation'; answer: Confirmation }
  | { kind: 'result'; answer: ExternalResult }
  | { kind: 'reconciliation'; answer: Reconciliation };

/** What kind of answer a call waits for. */
type Wait = 'approval' | 'question' | 'result' | 'outcome';

const text = z.string();

/** Only `approved: true` allows. Unknown fields are refused: edits under another name would be lost, and the call run without them. */
const approval = z.strictObject({
  approved: z.boolean().describe('Only true lets the call run'),
  editedArgs: Json.exactOptional().describe('All of its arguments, in place of those that it has'),
  reason: text.exactOptional().describe('Why; the agent reads the reason of a denial'),
  remember: z
    .array(GivenRule)
    .exactOptional()
    .describe('Rules for the rest of the session, such as those that the metadata suggests'),
});

const answers = {
  approval,
  question: z.union([
    z.strictObject({ answer: text.regex(/\S/, 'it is empty: write an answer') }),
    z.strictObject({ approved: z.literal(false), reason: text.exactOptional() }),
  ]),
  result: z.strictObject({
    state: z.enum(['success', 'error']).default('success'),
    content: z.union([text, z.array(InputPart)]),
  }),
  outcome: z.strictObject({
    outcome: z.enum(['happened', 'did_not_happen']),
    content: text.exactOptional().describe('What the tool would have returned'),
    reason: text.regex(/\S/, 'it is empty: say how that was found out'),
  }),
} satisfies Record<Wait, z.ZodType>;

const schemas = Object.fromEntries(
  Object.entries(answers).map(([wait, schema]) => [wait, z.toJSONSchema(schema, { io: 'input' })]),
) as unknown as Record<Wait, Json>;

const reasons: Record<Wait, string> = {
  approval: 'tool_call',
  question: 'input_required',
  result: 'durascope:external_result',
  outcome: 'durascope:reconciliation',
};

export function toInterrupt(call: PendingCall, owner: string): AgUiInterrupt {
  const { callId, name, deadline, path, agent, suggestedRules, isSafety, question } = call;
  const { approval: policy, votes, votesNeeded } = call;
  const wait = waitOf(call);
  const below = subagentRunId(owner, call);
  const told = { name, arguments: jsonOr(call.arguments), path, agent, suggestedRules, isSafety };
  const durascope = { ...told, question, approval: policy, votes, votesNeeded };
  return {
    id: gateIdOf(callId, question?.id),
    reason: reasons[wait],
    message: messageOf(call, wait),
    toolCallId: callId,
    responseSchema: schemas[wait],
    // Nobody can answer what was denied when its time was over; with other deadlines they still can.
    ...(deadline?.action === 'deny' ? { expiresAt: deadline.dueAt } : {}),
    ...(below === undefined ? {} : { subagentRunId: below }),
    metadata: { durascope: definedOf(durascope) },
  };
}

/** @throws Problem `invalid_input` when the payload does not fit: nothing is taken for a yes, or for a no, that was not written as one. */
export function readAnswer(call: PendingCall, { interruptId, status, payload }: ResumeEntry): GateAnswer {
  const { callId } = call;
  const wait = waitOf(call);
  const { questionId } = readGateId(interruptId);
  const named = questionId === undefined ? {} : { questionId };
  if (status === 'cancelled') return cancelled(callId, wait, named);
  switch (wait) {
    case 'approval': {
      const { approved, editedArgs, ...rest } = parse(approval, callId, payload);
      const edited = approved && editedArgs !== undefined ? { input: editedArgs } : {};
      return confirmation({ callId, decision: approved ? 'allow' : 'deny', ...edited, ...rest });
    }
    case 'question': {
      const given = parse(
        answers.question,
        callId,
        typeof payload === 'string' ? { answer: payload } : payload,
      );
      if ('answer' in given)
        return confirmation({ callId, decision: 'allow', answer: given.answer, ...named });
      const { reason } = given;
      return confirmation({
        callId,
        decision: 'deny',
        ...(reason === undefined ? {} : { reason }),
        ...named,
      });
    }
    case 'result':
      return { kind: 'result', answer: { callId, ...parse(answers.result, callId, payload) } };
    case 'outcome':
      return { kind: 'reconciliation', answer: { callId, ...parse(answers.outcome, callId, payload) } };
  }
}

function waitOf({ state, question }: PendingCall): Wait {
  if (state === 'submitted') return 'result';
  if (state === 'uncertain') return 'outcome';
  return question ? 'question' : 'approval';
}

function messageOf({ name, reason, question }: PendingCall, wait: Wait): string {
  switch (wait) {
    case 'approval':
      return reason === undefined ? `Allow ${name}?` : `Allow ${name}? ${reason}`;
    case 'question':
      return question?.question ?? `${name} asks`;
    case 'result':
      return `What did ${name} come to?`;
    case 'outcome':
      return `Did ${name} happen? Its outcome was not recorded.`;
  }
}

function cancelled(callId: string, wait: Wait, named: { questionId?: string }): GateAnswer {
  const reason = 'nobody decided: the request was cancelled';
  if (wait === 'result') return { kind: 'result', answer: { callId, state: 'error', content: reason } };
  if (wait === 'outcome')
    throw new Problem(
      'invalid_input',
      `What became of ${callId} can't be left open: say "happened" or "did_not_happen"`,
    );
  return confirmation({ callId, decision: 'deny', reason, ...named });
}

function confirmation(answer: Confirmation): GateAnswer {
  return { kind: 'confirmation', answer };
}

function parse<T>(schema: z.ZodType<T>, callId: string, payload: unknown): T {
  const parsed = schema.safeParse(payload);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = ['payload', ...(issue?.path ?? []).map(String)].join('.');
  throw new Problem(
    'invalid_input',
    `The ${where} for ${callId} does not fit its responseSchema: ${issue?.message}`,
  );
}

function definedOf(fields: Record<string, unknown>): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Json;
}
