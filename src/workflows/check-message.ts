// By hand, because zod stays out of the workflow bundle: a message may be written by anybody with `temporal workflow signal`.
import type { GateAnswer } from '../contracts/activities.ts';
import { answerFields, whyUnknownField } from '../contracts/answer-fields.ts';
import { isActorId, knownRequesters } from '../core/approval.ts';
import { inlineMessageBytes } from '../contracts/inbox.ts';
import type { Interrupt } from '../contracts/inputs.ts';

/** As characters of JSON. A message that waits is carried in workflow payloads: larger ones go by reference, as the client does it. */
const maxInlineInput = 24 * 1024;
const maxIdLength = 200;
const maxReasonLength = 2000;

/** Why this is no submission or steer; undefined when it is one. */
export function whyNoInput(message: unknown): string | undefined {
  if (!isRecord(message)) return 'expected an object such as {"id": "…", "input": "text"}';
  const { id, input, ifBusy, replyTo, requesters } = message;
  if (!isMessageId(id)) return badId;
  const isInput =
    (typeof input === 'string' && input.trim() !== '') ||
    (Array.isArray(input) && input.length > 0) ||
    isRecord(input);
  if (!isInput) return 'input must be a text that is not empty, or a list of parts';
  if (isRecord(input) && 'message' in input) return 'a message for the inbox is sent as teamMessage';
  if (JSON.stringify(input).length > maxInlineInput)
    return `input is larger than ${maxInlineInput} characters: send it through the client, which puts it into the store first`;
  if (
    ifBusy !== undefined &&
    !(typeof ifBusy === 'string' && ['queue', 'reject', 'steer', 'deny'].includes(ifBusy))
  )
    return 'ifBusy must be queue, reject, steer or deny';
  if (replyTo !== undefined && typeof replyTo !== 'string') return 'replyTo must be the id of a workflow';
  if (requesters !== undefined && !isRequesters(requesters)) return badRequesters;
  if (!isActor(message.actor)) return badActor;
  return undefined;
}

/** Why this is no list of answers; undefined when it is one. */
export function whyNoAnswers(message: unknown): string | undefined {
  if (!isRecord(message) || !Array.isArray(message.results) || message.results.length === 0)
    return 'expected an object such as {"results": [{"callId": "…", …}]}';
  if (!isMessageId(message.id)) return badId;
  const callIds = message.results.flatMap((answer: unknown) =>
    isRecord(answer) && typeof answer.callId === 'string' ? answer.callId : [],
  );
  if (new Set(callIds).size < callIds.length) return 'each call may be answered once in a message';
  return isActor(message.actor) ? undefined : badActor;
}

/** Why this is no message of the inbox; undefined when it is one. */
export function whyNoInboxMessage(message: unknown): string | undefined {
  if (!isRecord(message) || !isRecord(message.from))
    return 'expected an object such as {"id": "…", "kind": "team", "from": {"name": "…"}, "text": "…"}';
  const { id, kind, from, text, requesters } = message;
  if (!isName(id)) return `id must be a text of 1 to ${maxIdLength} characters`;
  if (!(typeof kind === 'string' && ['team', 'task', 'wakeup', 'schedule', 'reminder'].includes(kind)))
    return 'kind must be team, task, wakeup, schedule or reminder';
  if (!isName(from.name)) return `from.name must be a text of 1 to ${maxIdLength} characters`;
  if (from.sessionId !== undefined && typeof from.sessionId !== 'string')
    return 'from.sessionId must be a text';
  const isText = typeof text === 'string' && text.trim() !== '';
  if (!isText && !(isRecord(text) && typeof text.ref === 'string'))
    return 'text must be a text that is not empty, or {"ref": "…"}';
  if (isText && text.length > inlineMessageBytes)
    return `text is longer than ${inlineMessageBytes} characters: write it to the store and send its reference, as deliver does`;
  if (requesters !== undefined && !isRequesters(requesters)) return badRequesters;
  return undefined;
}

const badRequesters = `requesters must be an object such as {"known": ["ann"], "hasUnknown": false}, with at most ${knownRequesters} names`;

function isRequesters(value: unknown): boolean {
  if (!isRecord(value) || typeof value.hasUnknown !== 'boolean' || !Array.isArray(value.known)) return false;
  return value.known.length <= knownRequesters && value.known.every(isActorId);
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '' && value.length <= maxIdLength;
}

/** What an interrupt says, whatever was sent: it stops the turn in any case. */
export function readInterrupt(message: unknown): Interrupt {
  if (!isRecord(message)) return {};
  const { id, turnId, reason } = message;
  return {
    ...(typeof id === 'string' && isMessageId(id) ? { id } : {}),
    ...(typeof turnId === 'string' ? { turnId } : {}),
    ...(typeof reason === 'string' ? { reason: reason.slice(0, maxReasonLength) } : {}),
  };
}

/** Why this is no answer of its kind; undefined when it is one. */
export function whyNoAnswer(kind: GateAnswer['kind'], answer: unknown): string | undefined {
  if (!isRecord(answer) || typeof answer.callId !== 'string') return 'each answer needs a callId';
  const known = kind === 'confirm' ? [...answerFields.confirm, 'sealed'] : answerFields[kind];
  const unknown = whyUnknownField('the answer', answer, known);
  if (unknown !== undefined) return unknown;
  const { reason, decision, state, content, outcome, remember, answer: given, sealed } = answer;
  if (reason !== undefined && typeof reason !== 'string') return 'reason must be a string';
  switch (kind) {
    case 'confirm':
      if (remember !== undefined && !Array.isArray(remember)) return 'remember must be a list of rules';
      if (given !== undefined && typeof given !== 'string') return 'answer must be a text';
      if (sealed !== undefined && !isSealed(sealed))
        return 'sealed is made by the client: send input or answer as they are, or use it';
      return decision === 'allow' || decision === 'deny' ? undefined : 'decision must be allow or deny';
    case 'external':
      if (state !== 'success' && state !== 'error') return 'state must be success or error';
      return typeof content === 'string' || Array.isArray(content)
        ? undefined
        : 'content must be a text or a list of parts';
    default:
      if (outcome !== 'happened' && outcome !== 'did_not_happen')
        return 'outcome must be happened or did_not_happen';
      if (content !== undefined && typeof content !== 'string') return 'content must be a text';
      return typeof reason === 'string' && reason.trim() !== ''
        ? undefined
        : 'a reconciliation needs a reason';
  }
}

const badId = `id must be a string of at most ${maxIdLength} characters`;

function isMessageId(id: unknown): boolean {
  return id === undefined || (typeof id === 'string' && id.length <= maxIdLength);
}

function isSealed(sealed: unknown): boolean {
  if (!isRecord(sealed) || sealed.ref === undefined) return false;
  return isMessageId(sealed.ref) && isMessageId(sealed.digest);
}

const badActor = 'actor must be a name, or an object such as {"id": "ann", "roles": ["accounting"]}';

function isActor(actor: unknown): boolean {
  if (actor === undefined) return true;
  if (typeof actor === 'string') return isActorId(actor);
  if (!isRecord(actor) || !isActorId(actor.id)) return false;
  return (
    actor.roles === undefined ||
    (Array.isArray(actor.roles) && actor.roles.every((role) => typeof role === 'string'))
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
