import type { z } from 'zod';
import type { PendingCall, SessionDetails, SessionSummary, TurnDetails } from '../client/client.ts';
import { turnIdOf } from '../contracts/ids.ts';
import type * as api from '../schema/api-answers.ts';
import type { Block } from '../schema/message.ts';

/* What the client's records look like on the wire. */

export function sessionSummary(session: SessionSummary): z.input<typeof api.SessionSummary> {
  const {
    ref,
    agent,
    state,
    lastTurn,
    usage,
    permissions,
    metadata,
    lastEventId,
    createdAt,
    updatedAt,
    lineage,
  } = session;
  return {
    sessionId: ref.sessionId,
    owner: ref.owner,
    agent,
    state,
    turn: lastTurn,
    ...(lastTurn === 0 ? {} : { turnId: turnIdOf(ref, lastTurn) }),
    usage,
    permissions,
    metadata,
    lastEventId,
    ...(lineage ? { lineage } : {}),
    createdAt,
    updatedAt,
  };
}

export function sessionView(session: SessionDetails): z.input<typeof api.SessionView> {
  return {
    ...sessionSummary(session),
    ...(session.queued === undefined ? {} : { queued: session.queued }),
    pending: session.pending.map(gateView),
    tasks: session.tasks,
    background: session.background,
    team: session.team ?? null,
  };
}

export function gateView(call: PendingCall): z.input<typeof api.Gate> {
  return call;
}

export function turnView(sessionId: string, details: TurnDetails): z.input<typeof api.TurnView> {
  const { turnId, turn, state, run, usage, pending, finishReason, content, output, error } = details;
  return {
    turnId,
    sessionId,
    turn,
    state,
    run,
    usage,
    pending: pending.map(gateView),
    ...(finishReason ? { finishReason } : {}),
    ...(content
      ? {
          reply: {
            content,
            text: textOf(content),
            ...(output === undefined ? {} : { output }),
          },
        }
      : {}),
    ...(error ? { error } : {}),
  };
}

function textOf(content: readonly Block[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}
