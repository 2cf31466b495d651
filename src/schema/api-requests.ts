import { z } from 'zod';
import { GivenRule } from './event.ts';
import { Flow } from './flow.ts';
import { InputPart, Json } from './message.ts';
import { PermissionMode } from './permission-mode.ts';

/*
 * What HTTP callers send. Unknown fields are refused, so that a misspelled one is not silently without effect.
 */

const idPattern = /^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$/;

/** An owner, a session id or an agent's name. */
export const Id = z
  .string('write text')
  .regex(idPattern, 'write 1 to 128 characters: letters, digits, and . _ : @ - after the first');

export const Limit = z.coerce
  .number('write a whole number from 1 to 200')
  .int('write a whole number from 1 to 200')
  .min(1, 'write at least 1')
  .max(200, 'write at most 200');

/** Of the calendar, in UTC. */
export const Day = z.iso.date('write a day such as 2026-01-31');

export const PageQuery = z.strictObject({
  cursor: z.string().min(1, 'pass the nextCursor of the page before, or leave it out').exactOptional(),
  limit: Limit.exactOptional(),
});

const text = z.string('write text');
const name = text.min(1, 'write at least one character').max(200, 'write at most 200 characters');

/** Somebody for whom the caller speaks: only a key with the scope `impersonate` may name one. */
export const ActorField = z.strictObject({
  id: name,
  roles: z.array(name).max(100, 'write at most 100 roles').exactOptional(),
});

export const CreateSession = z.strictObject({
  agent: Id,
  sessionId: Id.exactOptional(),
  metadata: z
    .record(name, text.max(1_000, 'write at most 1000 characters'))
    .refine((metadata) => Object.keys(metadata).length <= 50, 'write at most 50 entries')
    .exactOptional(),
});

export const InputField = z.union(
  [
    text.regex(/\S/, 'input is empty: give it some text'),
    z.array(InputPart).min(1, 'write at least one part'),
  ],
  'write text, or a list of parts',
);

export const SubmitTurn = z.strictObject({
  input: InputField,
  /** Of a session that is not there yet. */
  agent: Id.exactOptional(),
  ifBusy: z.enum(['queue', 'reject', 'steer', 'deny']).exactOptional(),
  /** JSON Schema of the form that the answer must have. */
  output: z.record(z.string(), Json).exactOptional(),
  actor: ActorField.exactOptional(),
});

export const SteerTurn = z.strictObject({
  input: InputField,
  /** Of a session that is not there yet. */
  agent: Id.exactOptional(),
  actor: ActorField.exactOptional(),
});

export const InterruptTurn = z.strictObject({ reason: name.exactOptional() });

export const StartPipeline = z.strictObject({
  id: Id.exactOptional(),
  flow: Flow,
  input: text.regex(/\S/, 'input is empty: say what is to be done'),
  actor: ActorField.exactOptional(),
});

const callId = text.min(1, 'write the id of a call');

export const ConfirmationField = z.strictObject({
  callId,
  decision: z.enum(['allow', 'deny'], "write 'allow' or 'deny'"),
  /** Replaces the arguments, and is validated as they were. */
  input: Json.exactOptional(),
  reason: text.exactOptional(),
  /** Rules for the rest of the session. */
  remember: z.array(GivenRule).exactOptional(),
  /** To a call that asks a question. */
  answer: text.exactOptional(),
  /** The question's `id`, where it has one: it keeps an answer that is sent twice from its call's next question. */
  questionId: text.exactOptional(),
});

export const ExternalResultField = z.strictObject({
  callId,
  state: z.enum(['success', 'error'], "write 'success' or 'error'"),
  content: z.union([text, z.array(InputPart)], 'write text, or a list of parts'),
});

export const ReconciliationField = z.strictObject({
  callId,
  outcome: z.enum(['happened', 'did_not_happen'], "write 'happened' or 'did_not_happen'"),
  /** What the tool would have returned, when it happened and this is known. */
  content: text.exactOptional(),
  reason: text.regex(/\S/, 'a reconciliation needs a reason: say how that was found out'),
});

const answers = <T extends z.ZodType>(result: T) =>
  z.strictObject({
    results: z.array(result).min(1, 'write at least one result'),
    actor: ActorField.exactOptional(),
  });

export const Confirmations = answers(ConfirmationField);
export const ExternalResults = answers(ExternalResultField);
export const Reconciliations = answers(ReconciliationField);

export const ChangePermissions = z.strictObject({
  mode: PermissionMode.exactOptional(),
  addRules: z.array(GivenRule).exactOptional(),
  /** Replaces all rules of the session. */
  rules: z.array(GivenRule).exactOptional(),
});
