import { z } from 'zod';
import { EventBody, type EventKind } from '../../schema/event.ts';
import { Problem } from '../problem.ts';
import type { Frame } from '../event-feed.ts';
import { eventStream, streamAbort } from '../event-stream.ts';
import { defineRoute, type Call, type RouteContext } from '../route.ts';
import { mustBe, ofSession } from './sessions.ts';
import { ofTurn, turnOf } from './turns.ts';

const kinds = EventBody.options.map(({ shape }) => shape.kind.value) as [EventKind, ...EventKind[]];

const EventsQuery = z.strictObject({
  /** Id of the last event seen. `Last-Event-ID` goes before it. */
  after: z.coerce
    .number('write the id of an event')
    .int('write the id of an event')
    .min(0, 'write at least 0')
    .max(999_999_999, 'write the id of an event')
    .exactOptional(),
  /** Only these, separated by commas. */
  kinds: z
    .string()
    .regex(
      new RegExp(`^(${kinds.join('|')})(,(${kinds.join('|')}))*$`),
      'write kinds of events, with commas between',
    )
    .exactOptional(),
});

const followSession = defineRoute({
  name: 'followSession',
  method: 'get',
  path: '/v1/sessions/{sessionId}/events',
  summary: 'Events of a session: those after the cursor, then live ones, in order, none twice',
  scope: 'read',
  params: ofSession,
  query: EventsQuery,
  status: 200,
  isStream: true,
  async handle(call, context) {
    await mustBe(call, context);
    return stream(call, context, { sessionId: call.params.sessionId });
  },
});

const followTurn = defineRoute({
  name: 'followTurn',
  method: 'get',
  path: '/v1/turns/{turnId}/events',
  summary: "Events of a turn; ends with the turn's end",
  scope: 'read',
  params: ofTurn,
  query: EventsQuery,
  status: 200,
  isStream: true,
  async handle(call, context) {
    const { sessionId, turn } = turnOf(call, context);
    if (!(await turn.get())) throw new Problem('not_found', `There is no turn ${turn.id}`);
    return stream(call, context, { sessionId, turnId: turn.id });
  },
});

export const eventRoutes = [followSession, followTurn];

function stream(
  { owner, query, lastEventId, signal }: Call<unknown, z.output<typeof EventsQuery>, undefined>,
  { events, meters }: RouteContext,
  { sessionId, turnId }: { sessionId: string; turnId?: string },
): Response {
  const abort = streamAbort(signal, meters);
  const wanted = query.kinds === undefined ? undefined : new Set(query.kinds.split(','));
  const after = lastEventId ?? query.after ?? 0;
  const belongs = turnId === undefined ? undefined : ofTurnFrames(turnId, after);
  return eventStream({
    frames: events.follow({ owner, sessionId }, after, abort.signal),
    wants: (frame) => (belongs === undefined || belongs(frame)) && (wanted?.has(frame.kind) ?? true),
    isLast: (frame) =>
      turnId !== undefined && !frame.isBelow && frame.turnId === turnId && frame.kind === 'turn_end',
    abort,
  });
}

/** The turn's own events, and what happens below its session meanwhile. Whoever resumes is in the midst of the turn. */
function ofTurnFrames(turnId: string, after: number): (frame: Frame) => boolean {
  let hasBegun = after > 0;
  return ({ isBelow, turnId: of }) => {
    if (isBelow) return hasBegun;
    hasBegun ||= of === turnId;
    return of === turnId;
  };
}
