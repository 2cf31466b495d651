import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import {
  AuditPage,
  Created,
  MessagePage,
  SessionPage,
  SessionPermissions,
  SessionView,
  TurnPage,
} from '../../schema/api-answers.ts';
import { ChangePermissions, CreateSession, Id, PageQuery } from '../../schema/api-requests.ts';
import { Problem } from '../problem.ts';
import { defineRoute, type Call, type RouteContext } from '../route.ts';
import { sessionSummary, sessionView } from '../views.ts';

export const ofSession = z.object({ sessionId: Id });
type SessionCall = Call<z.output<typeof ofSession>, unknown, unknown>;

const createSession = defineRoute({
  name: 'createSession',
  method: 'post',
  path: '/v1/sessions',
  summary: 'Begin a session. A repeat with the same id, or the same Idempotency-Key, changes nothing',
  scope: 'run',
  body: CreateSession,
  isIdempotent: true,
  status: 201,
  answer: Created,
  async handle({ owner, body, idempotencyKey }, context) {
    const { client } = context;
    const { agent, metadata } = body;
    mustBeAgent(agent, context);
    const sessionId = body.sessionId ?? newSessionId(owner, idempotencyKey);
    const session = client.session({ owner, id: sessionId, agent });
    await session.open(metadata ? { metadata } : {});
    return { sessionId, agent };
  },
});

const listSessions = defineRoute({
  name: 'listSessions',
  method: 'get',
  path: '/v1/sessions',
  summary: 'Sessions, newest change first',
  scope: 'read',
  query: PageQuery.extend({
    agent: Id.exactOptional(),
    state: z.enum(['idle', 'running', 'waiting']).exactOptional(),
    /** Those that this session began, in the order in which they were opened; `agent` and `state` say nothing then. */
    parent: Id.exactOptional(),
  }),
  status: 200,
  answer: SessionPage,
  async handle({ owner, query }, { client }) {
    const { parent, cursor, limit, ...filter } = query;
    const page = { ...(cursor === undefined ? {} : { cursor }), ...(limit === undefined ? {} : { limit }) };
    const { items, ...rest } = await client.sessions(
      owner,
      parent === undefined ? { ...page, ...filter } : { ...page, parent },
    );
    return { ...rest, items: items.map(sessionSummary) };
  },
});

const getSession = defineRoute({
  name: 'getSession',
  method: 'get',
  path: '/v1/sessions/{sessionId}',
  summary: 'A session, with its calls that wait at a gate',
  scope: 'read',
  params: ofSession,
  status: 200,
  answer: SessionView,
  async handle(call, { client }) {
    const session = await sessionOf(call, client).get();
    if (!session) throw noSession(call);
    return sessionView(session);
  },
});

const eraseSession = defineRoute({
  name: 'eraseSession',
  method: 'delete',
  path: '/v1/sessions/{sessionId}',
  summary:
    'End a session and erase its content; while a turn of it, or below it, runs or waits only with force=true, which erases what is below too',
  scope: 'run',
  params: ofSession,
  query: z.strictObject({ force: z.enum(['true', 'false']).exactOptional() }),
  status: 204,
  async handle(call, { client }) {
    await sessionOf(call, client).erase({ force: call.query.force === 'true' });
    return undefined;
  },
});

const listMessages = defineRoute({
  name: 'listMessages',
  method: 'get',
  path: '/v1/sessions/{sessionId}/messages',
  summary: 'The transcript, oldest first, or, with order=newest, newest first',
  scope: 'read',
  params: ofSession,
  query: PageQuery.extend({ order: z.enum(['oldest', 'newest']).exactOptional() }),
  status: 200,
  answer: MessagePage,
  async handle(call, context) {
    await mustBe(call, context);
    return sessionOf(call, context.client).messages(call.query);
  },
});

const listTurns = defineRoute({
  name: 'listTurns',
  method: 'get',
  path: '/v1/sessions/{sessionId}/turns',
  summary: 'The turns of a session, newest first',
  scope: 'read',
  params: ofSession,
  query: PageQuery,
  status: 200,
  answer: TurnPage,
  async handle(call, context) {
    await mustBe(call, context);
    return sessionOf(call, context.client).turns(call.query);
  },
});

const listAudit = defineRoute({
  name: 'listAudit',
  method: 'get',
  path: '/v1/sessions/{sessionId}/audit',
  summary: 'Every decision about its calls, with what or who decided and why, oldest first',
  scope: 'read',
  params: ofSession,
  query: PageQuery.extend({ callId: z.string().min(1).exactOptional() }),
  status: 200,
  answer: AuditPage,
  async handle(call, context) {
    await mustBe(call, context);
    return sessionOf(call, context.client).audit(call.query);
  },
});

const changePermissions = defineRoute({
  name: 'changePermissions',
  method: 'post',
  path: '/v1/sessions/{sessionId}/permissions',
  summary: 'Set the mode, add rules, or replace all rules of a session',
  scope: 'approve',
  params: ofSession,
  body: ChangePermissions,
  status: 200,
  answer: SessionPermissions,
  async handle(call, context) {
    await mustBe(call, context);
    return sessionOf(call, context.client).setPermissions(call.body);
  },
});

export const sessionRoutes = [
  createSession,
  listSessions,
  getSession,
  eraseSession,
  listMessages,
  listTurns,
  listAudit,
  changePermissions,
];

export function sessionOf({ owner, params }: SessionCall, client: RouteContext['client']) {
  return client.session({ owner, id: params.sessionId });
}

/** @throws Problem `not_found` */
export async function mustBe(call: SessionCall, { client }: RouteContext): Promise<void> {
  if (!(await sessionOf(call, client).exists())) throw noSession(call);
}

function noSession({ params }: SessionCall): Problem {
  return new Problem('not_found', `There is no session ${params.sessionId}`);
}

/** A session of another agent could never run. @throws Problem `not_found` */
export function mustBeAgent(agent: string, { agents }: Pick<RouteContext, 'agents'>): void {
  if (!agents || agents().some(({ name }) => name === agent)) return;
  throw new Problem('not_found', `There is no agent ${agent}: GET /v1/agents lists those that there are`);
}

function newSessionId(owner: string, idempotencyKey: string | undefined): string {
  if (idempotencyKey === undefined) return randomUUID();
  const digest = createHash('sha256').update(`${owner}\n${idempotencyKey}`).digest('hex');
  return `k-${digest.slice(0, 32)}`;
}
