import { z } from 'zod';
import type { AnswerOptions, PendingCall } from '../../client/client.ts';
import { Accepted, CallAddress, GatePage } from '../../schema/api-answers.ts';
import { Confirmations, ExternalResults, PageQuery, Reconciliations } from '../../schema/api-requests.ts';
import type { Page } from '../../store/store.ts';
import { actorOf } from '../actor.ts';
import { eventStream, streamAbort } from '../event-stream.ts';
import type { Principal } from '../principal.ts';
import { defineRoute } from '../route.ts';
import { gateView } from '../views.ts';
import { mustBe, ofSession, sessionOf } from './sessions.ts';

const listGates = defineRoute({
  name: 'listGates',
  method: 'get',
  path: '/v1/gates',
  summary: 'Calls that wait at a gate in any session, oldest first',
  scope: 'read',
  query: PageQuery.extend({ state: z.enum(['asking', 'submitted', 'uncertain']).exactOptional() }),
  status: 200,
  answer: GatePage,
  async handle({ owner, query }, { client }) {
    const { items, ...rest } = await client.gates(owner, query);
    return { ...rest, items: items.map(gateView) };
  },
});

const watchGates = defineRoute({
  name: 'watchGates',
  method: 'get',
  path: '/v1/gates/events',
  summary: 'The first hundred calls that wait, as a page of GET /v1/gates: now, and again with each change',
  scope: 'read',
  query: z.strictObject({}),
  status: 200,
  isStream: true,
  async handle({ owner, signal }, { client, meters }) {
    const abort = streamAbort(signal, meters);
    return eventStream({ frames: gateFrames(client.watchGates(owner, { signal: abort.signal })), abort });
  },
});

async function* gateFrames(
  pages: AsyncIterable<Page<PendingCall>>,
): AsyncGenerator<{ text: string }, void, void> {
  for await (const { items, ...rest } of pages)
    yield { text: `event: gates\ndata: ${JSON.stringify({ ...rest, items: items.map(gateView) })}\n\n` };
}

const findCall = defineRoute({
  name: 'findCall',
  method: 'get',
  path: '/v1/calls/{callId}',
  summary: 'The session of a call',
  scope: 'read',
  params: z.object({ callId: z.string().regex(/^[\w.:-]{1,200}$/, 'write the id of a call') }),
  status: 200,
  answer: CallAddress,
  async handle({ owner, params }, { client }) {
    const session = await client.sessionOfCall(owner, params.callId);
    return { callId: params.callId, sessionId: session.id };
  },
});

const confirm = defineRoute({
  name: 'confirm',
  method: 'post',
  path: '/v1/sessions/{sessionId}/confirmations',
  summary: 'Allow or deny calls that ask: all of them, or none when one of the answers is refused',
  scope: 'approve',
  params: ofSession,
  body: Confirmations,
  isIdempotent: true,
  status: 200,
  answer: Accepted,
  async handle(call, context) {
    await mustBe(call, context);
    await sessionOf(call, context.client).confirm(call.body.results, answerOptions(call));
    return accepted(call.body);
  },
});

const submitExternalResults = defineRoute({
  name: 'submitExternalResults',
  method: 'post',
  path: '/v1/sessions/{sessionId}/external-results',
  summary: 'Give results of calls that a system outside executes',
  scope: 'run',
  params: ofSession,
  body: ExternalResults,
  isIdempotent: true,
  status: 200,
  answer: Accepted,
  async handle(call, context) {
    await mustBe(call, context);
    await sessionOf(call, context.client).submitExternalResults(call.body.results, answerOptions(call));
    return accepted(call.body);
  },
});

const reconcile = defineRoute({
  name: 'reconcile',
  method: 'post',
  path: '/v1/sessions/{sessionId}/reconciliations',
  summary: 'Say what became of calls whose outcome was not recorded',
  scope: 'approve',
  params: ofSession,
  body: Reconciliations,
  isIdempotent: true,
  status: 200,
  answer: Accepted,
  async handle(call, context) {
    await mustBe(call, context);
    await sessionOf(call, context.client).reconcile(call.body.results, answerOptions(call));
    return accepted(call.body);
  },
});

export const gateRoutes = [listGates, watchGates, findCall, confirm, submitExternalResults, reconcile];

function answerOptions(call: {
  principal: Principal;
  body: { actor?: { id: string; roles?: string[] } };
  idempotencyKey?: string;
}): AnswerOptions {
  const { idempotencyKey } = call;
  return { actor: actorOf(call), ...(idempotencyKey === undefined ? {} : { idempotencyKey }) };
}

/** Answers are taken together or not at all. */
function accepted({ results }: { results: { callId: string }[] }) {
  return { accepted: results.map(({ callId }) => callId) };
}
