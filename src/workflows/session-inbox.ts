// Workflow code: messages of a session's inbox, until its turn has them. Imports contracts and @temporalio/workflow only.
import {
  ApplicationFailure,
  CancellationScope,
  condition,
  log,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { failure, type FailureCode } from '../contracts/failures.ts';
import type { InboxAnswer, InboxMessage } from '../contracts/inbox.ts';
import { inboxSignal, teamMessageSignal, teamMessageUpdate } from '../contracts/messages.ts';
import { store } from './activity-proxies.ts';
import { whyNoInboxMessage } from './check-message.ts';
import { mustRotate } from './must-rotate.ts';
import type { SessionState } from './session-state.ts';
import { signalTurn } from './turn-signals.ts';

/** Of 51,200 that a run may have. */
const crowdedAfterEvents = 4000;

export function handleInbox(session: SessionState): void {
  setHandler(teamMessageSignal, async (message) => {
    await condition(() => session.isLoaded);
    await receive(session, message).catch((error: unknown) => ignore(error));
  });
  setHandler(
    teamMessageUpdate,
    async (message) => {
      await condition(() => session.isLoaded);
      return receive(session, message);
    },
    {
      validator: (message) => {
        rejectIf(failure.rejected, whyNoInboxMessage(message));
        rejectIf(failure.full, whyCrowded(session));
      },
    },
  );
}

/** A bad signal is recorded, and changes nothing. */
function ignore(error: unknown): void {
  if (!(error instanceof ApplicationFailure)) throw error;
  log.warn('A message was not taken', { why: error.message });
}

async function receive(session: SessionState, message: InboxMessage): Promise<InboxAnswer> {
  rejectIf(failure.rejected, whyNoInboxMessage(message));
  const { inbox } = session;
  let status = inbox.take(message);
  if (status === 'full' && inbox.handed.length > 0) {
    // The turn that runs has made room, it may be.
    const ids = inbox.handed.map(({ id }) => id);
    inbox.wereTaken(await store.messagesTaken({ ref: session.ref, ids }));
    status = inbox.take(message);
  }
  if (status !== 'full') return { status };
  const { sessionId } = session.ref;
  if (inbox.isClosed)
    throw ApplicationFailure.nonRetryable(`session ${sessionId} has been ended`, failure.ended);
  const waiting = inbox.handed.length + inbox.waiting.length;
  throw ApplicationFailure.nonRetryable(
    `the inbox of session ${sessionId} is full (${waiting} messages wait): send again when it has taken some in`,
    failure.full,
  );
}

/**
 * While a turn runs the session's history grows with each message, and can't begin anew: it must not grow without end. For the validator,
 * whose refusals leave nothing in it.
 */
function whyCrowded({ ref, runningTurnId }: SessionState): string | undefined {
  if (runningTurnId === undefined || workflowInfo().historyLength <= crowdedAfterEvents) return undefined;
  return `session ${ref.sessionId} can't take in more while ${runningTurnId} runs, which has had much: send again when that has ended`;
}

function rejectIf(code: FailureCode, why: string | undefined): void {
  if (why !== undefined) throw ApplicationFailure.nonRetryable(why, code);
}

/** Passes what comes into the inbox on to the turn that runs, until it has ended. */
export async function handingOver<T>(session: SessionState, turnId: string, ended: Promise<T>): Promise<T> {
  const { inbox } = session;
  let isOver = false;
  // A cancelled session waits for the turn's own end, which must not be lost to this.
  const passing = CancellationScope.nonCancellable(async () => {
    for (;;) {
      // A session that has to begin anew stops feeding its turn: that comes to an end, and the rest waits for the next one.
      await condition(() => isOver || (inbox.hasWaiting && !mustRotate()));
      if (isOver) return;
      const batch = inbox.handOver();
      if (await signalTurn(turnId, inboxSignal, batch)) continue;
      // The turn ended under way: they wait for the next one.
      inbox.takeBack(batch);
      return;
    }
  });
  try {
    return await ended;
  } finally {
    isOver = true;
    await passing;
  }
}
