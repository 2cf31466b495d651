// Workflow code: the entity of one session. Owns the inbox, runs turns one at a time. Imports contracts and @temporalio/workflow only.
import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  ChildWorkflowCancellationType,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  ParentClosePolicy,
  setCurrentDetails,
  setHandler,
  startChild,
  upsertSearchAttributes,
  uuid4,
  workflowInfo,
  type SignalDefinition,
} from '@temporalio/workflow';
import { TypedSearchAttributes } from '@temporalio/common';
import { failure } from '../contracts/failures.ts';
import { turnIdOf } from '../contracts/ids.ts';
import type { InboxAnswer, InboxMessage } from '../contracts/inbox.ts';
import type { SessionInput, Steer, Submission } from '../contracts/inputs.ts';
import {
  confirmSignal,
  externalResultSignal,
  inboxSignal,
  interruptSignal,
  interruptUpdate,
  reconcileSignal,
  sessionQuery,
  steerSignal,
  steerUpdate,
  submitSignal,
  submitUpdate,
  teamMessageSignal,
  teamMessageUpdate,
  turnEndedSignal,
  type SubmitAnswer,
} from '../contracts/messages.ts';
import { searchAttributes } from '../contracts/search-attributes.ts';
import { store } from './activity-proxies.ts';
import { agentTurn } from './agent-turn.ts';
import { whyNoInboxMessage, whyNoInput } from './check-message.ts';
import type { Inbox } from './inbox.ts';
import { mustRotate } from './must-rotate.ts';
import { outcomeOf } from './turn-outcome.ts';
import { SessionState } from './session-state.ts';

/** Of 51,200 that a run may have. */
const crowdedAfterEvents = 4000;

export async function agentSession(input: SessionInput): Promise<void> {
  const session = new SessionState(input);
  handleMessages(session);
  try {
    if (!session.isLoaded) {
      session.load(await store.loadSession({ ref: input.ref, agent: input.agent }));
      if (session.settings.hasSearchAttributes) upsertSearchAttributes(sessionAttributes(input));
    }
    await runTurns(input, session);
  } catch (error) {
    if (!isCancellation(error) || !session.isLoaded) throw error;
    await CancellationScope.nonCancellable(() =>
      store.saveSession({ ref: input.ref, control: session.control }),
    );
    throw error;
  }
}

async function runTurns(input: SessionInput, session: SessionState): Promise<void> {
  for (;;) {
    if (mustRotate()) {
      await condition(allHandlersFinished);
      await continueAsNew<typeof agentSession>(session.rotated());
    }
    setCurrentDetails(describe(session));
    const next = session.startNext();
    if (next) {
      setCurrentDetails(describe(session));
      await runTurn(input, session, next);
      continue;
    }
    const hasWork = await condition(() => session.hasWork || mustRotate(), session.settings.lingerMs);
    if (hasWork) continue;
    await condition(allHandlersFinished);
    // Nothing is awaited between this check and the return; the server refuses the return when a signal slipped in after it.
    if (!session.hasWork) return;
  }
}

async function runTurn(
  input: SessionInput,
  session: SessionState,
  { messages, ...next }: NonNullable<ReturnType<SessionState['startNext']>>,
): Promise<void> {
  const address = { ref: input.ref, agent: input.agent, ...next };
  const { hasSearchAttributes } = session.settings;
  const turnId = turnIdOf(input.ref, next.turn);
  const result = await outcomeOf(async () => {
    const turn = await startChild(agentTurn, {
      workflowId: turnId,
      args: [{ ...address, ...(messages ? { messages } : {}), hasSearchAttributes }],
      staticSummary: `${input.agent} · turn ${next.turn} of ${input.ref.sessionId}`,
      // A turn never outlives its session's run: two turns of one session must not run at once.
      parentClosePolicy: ParentClosePolicy.TERMINATE,
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      ...(hasSearchAttributes
        ? {
            typedSearchAttributes: new TypedSearchAttributes([
              ...sessionAttributes(input),
              { key: searchAttributes.state, value: 'running' },
              { key: searchAttributes.gates, value: 0 },
            ]),
          }
        : {}),
    });
    return handingOver(session, turnId, turn.result());
  });
  await CancellationScope.nonCancellable(async () => {
    await store.closeTurn({ ...address, result });
    if (next.replyTo === undefined) return;
    await signalTurn(next.replyTo, turnEndedSignal(next.inputId), { turnId: result.turnId ?? turnId });
  });
  session.turnEnded(result.turnId === undefined ? undefined : (result.steers ?? []));
  if (CancellationScope.current().consideredCancelled)
    throw new CancelledFailure('The session was cancelled through Temporal');
}

/** Passes what comes into the inbox on to the turn that runs, until it has ended. */
async function handingOver<T>(session: SessionState, turnId: string, ended: Promise<T>): Promise<T> {
  const { inbox } = session;
  let isOver = false;
  // A cancelled session waits for the turn's own end, which must not be lost to this.
  const passing = CancellationScope.nonCancellable(async () => {
    for (;;) {
      await condition(() => isOver || inbox.hasWaiting);
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

function sessionAttributes(input: SessionInput) {
  return [
    { key: searchAttributes.owner, value: input.ref.owner },
    { key: searchAttributes.agent, value: input.agent },
    { key: searchAttributes.session, value: input.ref.sessionId },
  ];
}

function describe(session: SessionState): string {
  const { running, queued } = session.view;
  return [
    running === undefined ? '**idle**' : `**running** \`${running}\``,
    ...(queued.length > 0 ? ['', `${queued.length} turn(s) wait`] : []),
  ].join('\n');
}

/** Handlers are in place before the first await, so that no message is lost at the edge of a run. */
function handleMessages(session: SessionState): void {
  setHandler(sessionQuery, () => session.view);
  setHandler(submitSignal, async (submission) => {
    await condition(() => session.isLoaded);
    await submit(session, submission).catch((error: unknown) => ignore('A submission was not taken', error));
  });
  setHandler(submitUpdate, async (submission) => {
    await condition(() => session.isLoaded);
    return submit(session, submission);
  });
  setHandler(steerSignal, async (steer) => {
    await condition(() => session.isLoaded);
    await submit(session, asSubmission(steer)).catch((error: unknown) =>
      ignore('A steer was not taken', error),
    );
  });
  setHandler(steerUpdate, async (steer) => {
    await condition(() => session.isLoaded);
    return submit(session, asSubmission(steer));
  });
  setHandler(teamMessageSignal, async (message) => {
    await condition(() => session.isLoaded);
    await receive(session, message).catch((error: unknown) => ignore('A message was not taken', error));
  });
  setHandler(
    teamMessageUpdate,
    async (message) => {
      await condition(() => session.isLoaded);
      return receive(session, message);
    },
    { validator: (message) => rejectIf(whyNoInboxMessage(message)) },
  );
  setHandler(interruptSignal, (interrupt) => forward(session, interruptSignal, interrupt ?? {}));
  setHandler(interruptUpdate, (interrupt) => forward(session, interruptSignal, interrupt));
  setHandler(confirmSignal, (answered) => forward(session, confirmSignal, answered));
  setHandler(externalResultSignal, (answered) => forward(session, externalResultSignal, answered));
  setHandler(reconcileSignal, (answered) => forward(session, reconcileSignal, answered));
}

/** A bad signal is recorded, and changes nothing. */
function ignore(what: string, error: unknown): void {
  if (!(error instanceof ApplicationFailure)) throw error;
  log.warn(what, { why: error.message });
}

function asSubmission(steer: Steer): Submission {
  return { ...steer, ifBusy: 'steer' };
}

async function submit(session: SessionState, submission: Submission): Promise<SubmitAnswer> {
  const malformed = whyNoInput(submission);
  if (malformed !== undefined) throw ApplicationFailure.nonRetryable(malformed, failure.rejected);
  const named = { ...submission, id: submission.id ?? uuid4() };
  for (;;) {
    const admission = session.admit(named);
    if (admission.kind === 'answer') return admission.answer;
    if (admission.kind === 'reject') throw ApplicationFailure.nonRetryable(admission.why, failure.rejected);
    const { id, input, actor } = named;
    const { denyPending } = admission;
    if (
      await signalTurn(admission.turnId, steerSignal, {
        id,
        input,
        denyPending,
        ...(actor === undefined ? {} : { actor }),
      })
    )
      return { turnId: admission.turnId, status: 'steered' };
    // The turn ended under way: the message becomes a turn of its own, once the session has noticed.
    session.forget(id);
    await condition(() => session.runningTurnId !== admission.turnId);
  }
}

async function receive(session: SessionState, message: InboxMessage): Promise<InboxAnswer> {
  rejectIf(whyNoInboxMessage(message));
  const { inbox } = session;
  let status = takeIn(session, message);
  if (status === 'full' && inbox.handed.length > 0) {
    // The turn that runs has made room, it may be.
    const ids = inbox.handed.map(({ id }) => id);
    inbox.wereTaken(await store.messagesTaken({ ref: session.ref, ids }));
    status = takeIn(session, message);
  }
  if (status !== 'full') return { status };
  const { sessionId } = session.ref;
  const waiting = inbox.handed.length + inbox.waiting.length;
  throw ApplicationFailure.nonRetryable(
    `the inbox of session ${sessionId} is full (${waiting} messages wait): send again when it has taken some in`,
    failure.rejected,
  );
}

/** While a turn runs the session's history grows with each message, and can't begin anew: it must not grow without end. */
function takeIn(session: SessionState, message: InboxMessage): ReturnType<Inbox['take']> {
  const isCrowded = session.runningTurnId !== undefined && workflowInfo().historyLength > crowdedAfterEvents;
  return session.inbox.take(message, isCrowded);
}

function rejectIf(why: string | undefined): void {
  if (why !== undefined) throw ApplicationFailure.nonRetryable(why, failure.rejected);
}

/** Passes a message on to the turn that runs; without one there is nobody to tell. */
async function forward<T>(session: SessionState, signal: SignalDefinition<[T]>, message: T): Promise<void> {
  const turnId = session.runningTurnId;
  if (turnId === undefined || !(await signalTurn(turnId, signal, message)))
    log.warn('No turn runs that could take the message', { signal: signal.name });
}

/** False when that turn is closed. */
async function signalTurn<T>(turnId: string, signal: SignalDefinition<[T]>, message: T): Promise<boolean> {
  try {
    await getExternalWorkflowHandle(turnId).signal(signal, message);
    return true;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return false;
  }
}
