import { z } from 'zod';
import { isValidId, parseTurnId } from '../../contracts/ids.ts';
import { Submitted, TurnView } from '../../schema/api-answers.ts';
import { InterruptTurn, SteerTurn, SubmitTurn } from '../../schema/api-requests.ts';
import type { Turn } from '../../client/client.ts';
import { actorOf } from '../actor.ts';
import { requireScope } from '../principal.ts';
import { Problem } from '../problem.ts';
import { defineRoute, type RouteContext } from '../route.ts';
import { turnView } from '../views.ts';
import { mustBe, mustBeAgent, ofSession, sessionOf } from './sessions.ts';

const longestWaitSeconds = 60;

/** A turn's id holds slashes: they may come as they are, or as %2F. */
export const ofTurn = z.object({
  turnId: z
    .string()
    .regex(/^turn\/[^/]+\/[^/]+\/[1-9]\d{0,8}$/, 'write the id of a turn, as turn/acme/case-42/1'),
});

const submitTurn = defineRoute({
  name: 'submitTurn',
  method: 'post',
  path: '/v1/sessions/{sessionId}/turns',
  summary: 'Submit an input: it becomes a turn, once for each Idempotency-Key',
  scope: 'run',
  params: ofSession,
  body: SubmitTurn,
  isIdempotent: true,
  status: 202,
  answer: Submitted,
  async handle(call, context) {
    const { client, limits } = context;
    const { owner, params, body, idempotencyKey } = call;
    const { agent, ifBusy, input, output } = body;
    // It answers gates.
    if (ifBusy === 'deny') requireScope(call.principal, 'approve');
    if (agent !== undefined) mustBeAgent(agent, context);
    const session = client.session({
      owner,
      id: params.sessionId,
      ...(agent === undefined ? {} : { agent }),
    });
    const turn = await session.submit(input, {
      actor: actorOf(call),
      mayBegin: () => limits.takeTurn(owner),
      ...(ifBusy === undefined ? {} : { ifBusy }),
      ...(output ? { output } : {}),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
    return submitted(params.sessionId, turn);
  },
});

const steerTurn = defineRoute({
  name: 'steerTurn',
  method: 'post',
  path: '/v1/sessions/{sessionId}/steer',
  summary: 'Give the running turn a message that it takes in before its next model call',
  scope: 'run',
  params: ofSession,
  body: SteerTurn,
  isIdempotent: true,
  status: 202,
  answer: Submitted,
  async handle(call, context) {
    const { client, limits } = context;
    const { owner, params, body, idempotencyKey } = call;
    const { agent, input } = body;
    if (agent !== undefined) mustBeAgent(agent, context);
    const session = client.session({
      owner,
      id: params.sessionId,
      ...(agent === undefined ? {} : { agent }),
    });
    const turn = await session.steer(input, {
      actor: actorOf(call),
      mayBegin: () => limits.takeTurn(owner),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
    return submitted(call.params.sessionId, turn);
  },
});

const interruptTurn = defineRoute({
  name: 'interruptTurn',
  method: 'post',
  path: '/v1/sessions/{sessionId}/interrupt',
  summary: 'Stop the running turn and keep what it has committed; without one nothing happens',
  scope: 'run',
  params: ofSession,
  body: InterruptTurn,
  status: 204,
  async handle(call, context) {
    await mustBe(call, context);
    await sessionOf(call, context.client).interrupt(call.body.reason);
    return undefined;
  },
});

const cancelTask = defineRoute({
  name: 'cancelTask',
  method: 'post',
  path: '/v1/sessions/{sessionId}/tasks/{taskId}/cancel',
  summary: 'Stop a call that goes on in the background; one that has ended is left as it is',
  scope: 'run',
  params: ofSession.extend({ taskId: z.string().min(1) }),
  body: InterruptTurn,
  status: 204,
  async handle(call, context) {
    await mustBe(call, context);
    await sessionOf(call, context.client).cancelTask(call.params.taskId, call.body.reason);
    return undefined;
  },
});

const getTurn = defineRoute({
  name: 'getTurn',
  method: 'get',
  path: '/v1/turns/{turnId}',
  summary:
    'What a turn has come to; with wait, once it waits at a gate or has ended, or the seconds are over',
  scope: 'read',
  params: ofTurn,
  query: z.strictObject({
    wait: z.coerce
      .number('write seconds')
      .min(0, 'write at least 0')
      .max(longestWaitSeconds, `write at most ${longestWaitSeconds}`)
      .exactOptional(),
    until: z.enum(['gate', 'end']).exactOptional(),
  }),
  status: 200,
  answer: TurnView,
  async handle(call, context) {
    const { sessionId, turn } = turnOf(call, context);
    const { wait = 0, until = 'gate' } = call.query;
    const now = await turn.get();
    if (!now) throw new Problem('not_found', `There is no turn ${turn.id}`);
    const isReached = now.state === 'ended' || (now.state === 'waiting' && until === 'gate');
    if (isReached || wait === 0) return turnView(sessionId, now);

    const signal = AbortSignal.any([call.signal, AbortSignal.timeout(wait * 1_000)]);
    await turn.result({ until, signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    return turnView(sessionId, (await turn.get()) ?? now);
  },
});

export const turnRoutes = [submitTurn, steerTurn, interruptTurn, cancelTask, getTurn];

/** A turn of another owner is as good as none. @throws Problem `not_found` */
export function turnOf(
  { owner, params }: { owner: string; params: z.output<typeof ofTurn> },
  { client }: RouteContext,
): { sessionId: string; turn: Turn } {
  const address = parseTurnId(params.turnId);
  if (address?.ref.owner !== owner || !isValidId(address.ref.sessionId))
    throw new Problem('not_found', `There is no turn ${params.turnId}`);
  const { sessionId } = address.ref;
  return { sessionId, turn: client.session({ owner, id: sessionId }).turn(address.turn) };
}

function submitted(sessionId: string, { id, status, after }: Turn): z.input<typeof Submitted> {
  return { turnId: id, sessionId, status: status ?? 'started', after };
}
