import { isDeepStrictEqual } from 'node:util';
import type { Durascope, Session, SessionDetails } from '../../client/client.ts';
import { DurascopeError } from '../../client/durascope-error.ts';
import { requireScope, type Principal } from '../principal.ts';
import { Problem } from '../problem.ts';
import { gateIdOf, readGateId } from '../../core/asked-in-call.ts';
import { readAnswer, type GateAnswer } from './interrupts.ts';
import { readResults, type AgUiRequest, type ResumeEntry } from './ag-ui-request.ts';
import { jsonOr, openTurn, pageSize, resultOf, textOfResult, transcriptOf } from '../chat/conversation.ts';

interface Answering {
  request: AgUiRequest;
  session: Session;
  /** As it was when the request came; undefined for one that is new. */
  before: SessionDetails | undefined;
  principal: Principal;
  client: Durascope;
}

/**
 * Gives the answers that came with the request: all of them, or none when one is refused.
 *
 * @throws Problem `invalid_input`, `missing_scope`, `not_found`, `conflict`.
 */
export async function takeAnswers(answering: Answering): Promise<void> {
  const { session, principal } = answering;
  const given = await readAnswers(answering);
  if (given.length === 0) return;
  await mustCover(given, session);
  if (given.some(({ kind }) => kind !== 'result')) requireScope(principal, 'approve');
  const options = { actor: { id: principal.id, roles: principal.roles } };
  const confirmations = given.flatMap((one) => (one.kind === 'confirmation' ? [one.answer] : []));
  const results = given.flatMap((one) => (one.kind === 'result' ? [one.answer] : []));
  const reconciliations = given.flatMap((one) => (one.kind === 'reconciliation' ? [one.answer] : []));
  if (confirmations.length > 0) await session.confirm(confirmations, options);
  if (results.length > 0) await session.submitExternalResults(results, options);
  if (reconciliations.length > 0) await session.reconcile(reconciliations, options);
}

/** Those that are news: interrupts by `resume`, calls of the page's tools by messages. */
async function readAnswers(answering: Answering): Promise<GateAnswer[]> {
  const { request, before } = answering;
  const pending = before?.pending ?? [];
  const submitted = new Set(pending.filter(({ state }) => state === 'submitted').map(({ callId }) => callId));
  const given: GateAnswer[] = readResults(request, submitted).map((answer) => ({ kind: 'result', answer }));
  for (const entry of request.resume ?? []) {
    const { interruptId } = entry;
    const call = pending.find(
      ({ callId, question }) => callId === interruptId || gateIdOf(callId, question?.id) === interruptId,
    );
    if (call) given.push(readAnswer(call, entry));
    else if (!(await isRepeat(answering, entry)))
      throw new Problem(
        'conflict',
        `Call ${interruptId} waits for no answer any more, and none of this request was taken: look on without resume, and answer what still waits`,
      );
  }
  const callIds = given.map(({ answer }) => answer.callId);
  if (new Set(callIds).size < callIds.length)
    throw new Problem('invalid_input', 'Each call may be answered once in a request');
  return given;
}

/** Omission is no answer: what waits beside the answered calls would go on waiting unseen. */
async function mustCover(given: readonly GateAnswer[], session: Session): Promise<void> {
  const answered = new Set(given.map((one) => one.answer.callId));
  const pending = (await (await openTurn(session))?.get())?.pending ?? [];
  const open = pending.filter(({ callId }) => !answered.has(callId));
  if (open.length === 0 || open.length === pending.length) return;
  throw new Problem(
    'invalid_input',
    `The run waits for ${open.map(({ callId, name }) => `${name} ${callId}`).join(', ')}, too: answer all of its interrupts together`,
  );
}

/** A client whose connection broke sends its answers again: what this caller answered so before is no news. */
async function isRepeat(
  { client, session: { owner }, principal }: Answering,
  { interruptId, status, payload }: ResumeEntry,
): Promise<boolean> {
  const { callId } = readGateId(interruptId);
  const session = await sessionOfCall(client, owner, callId);
  const audit = await session.audit({ callId, limit: pageSize });
  const last = audit.items.findLast(({ by }) => by === 'person' || by === 'system');
  if (!last || last.actor !== principal.id) return false;
  const given = typeof payload === 'object' && payload !== null ? payload : {};
  const isDenial = status === 'cancelled' || ('approved' in given && given.approved !== true);
  if ((last.behavior === 'deny') !== isDenial) return false;
  if (isDenial) return true;
  if ('approved' in given)
    return !('editedArgs' in given) || isDeepStrictEqual(given.editedArgs, jsonOr(last.arguments));
  return (await resultTextOf(session, callId)) === textOf(payload);
}

async function resultTextOf(session: Session, callId: string): Promise<string | undefined> {
  const results = (await transcriptOf(session)).map(resultOf);
  const result = results.find((one) => one?.id === callId);
  return result && textOfResult(result);
}

/** What an answer says that is none of yes and no. */
function textOf(payload: unknown): unknown {
  if (typeof payload !== 'object' || payload === null) return payload;
  if ('answer' in payload) return payload.answer;
  return 'content' in payload ? payload.content : undefined;
}

/** @throws Problem `not_found` */
async function sessionOfCall(client: Durascope, owner: string, callId: string): Promise<Session> {
  try {
    return await client.sessionOfCall(owner, callId);
  } catch (error) {
    if (!(error instanceof DurascopeError) || error.code !== 'not_found') throw error;
    throw new Problem('not_found', `There is no call ${callId}`, { cause: error });
  }
}
