import type { z } from 'zod';
import type * as api from '../schema/api-answers.ts';
import type { SessionDetails, SessionSummary } from './client.ts';

/* What came over the wire, as the client's records. */

export function toSessionSummary(view: z.output<typeof api.SessionSummary>): SessionSummary {
  const { owner, sessionId, turn, turnId: _, ...rest } = view;
  return { ...rest, ref: { owner, sessionId }, lastTurn: turn };
}

export function toSessionDetails(view: z.output<typeof api.SessionView>): SessionDetails {
  const { queued, pending, tasks, background, team, ...summary } = view;
  return {
    ...toSessionSummary(summary),
    ...(queued === undefined ? {} : { queued }),
    pending,
    tasks,
    background,
    ...(team === null ? {} : { team }),
  };
}
