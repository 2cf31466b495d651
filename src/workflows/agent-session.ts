// Workflow code: the entity of one session. Owns the inbox, runs turns one at a time. Imports contracts and @temporalio/workflow only.
import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  condition,
  continueAsNew,
  executeChild,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  ParentClosePolicy,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  uuid4,
  type SignalDefinition,
} from '@temporalio/workflow';
import { TypedSearchAttributes } from '@temporalio/common';
import { failure } from '../contracts/failures.ts';
import { turnIdOf } from '../contracts/ids.ts';
import type {
  QueuedTurn,
  SessionInput,
  Steer,
  Submission,
  TurnOutcome,
  TurnResult,
} from '../contracts/inputs.ts';
import {
  confirmSignal,
  externalResultSignal,
  interruptSignal,
  interruptUpdate,
  reconcileSignal,
  sessionQuery,
  steerSignal,
  steerUpdate,
  submitSignal,
  submitUpdate,
  type SubmitAnswer,
} from '../contracts/messages.ts';
import { searchAttributes } from '../contracts/search-attributes.ts';
import { store } from './activity-proxies.ts';
import { agentTurn } from './agent-turn.ts';
import { whyNoInput } from './check-message.ts';
import { mustRotate } from './must-rotate.ts';
import { SessionState } from './session-state.ts';

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
      store.saveSession({ ref: input.ref, control: { queue: session.queue } }),
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
    const hasWork = await condition(() => session.hasQueue || mustRotate(), session.settings.lingerMs);
    if (hasWork) continue;
    await condition(allHandlersFinished);
    // Nothing is awaited between this check and the return; the server refuses the return when a signal slipped in after it.
    if (!session.hasQueue) return;
  }
}

async function runTurn(input: SessionInput, session: SessionState, next: QueuedTurn): Promise<void> {
  const address = { ref: input.ref, agent: input.agent, ...next };
  const { hasSearchAttributes } = session.settings;
  const result = await outcomeOf(() =>
    executeChild(agentTurn, {
      workflowId: turnIdOf(input.ref, next.turn),
      args: [{ ...address, hasSearchAttributes }],
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
    }),
  );
  await CancellationScope.nonCancellable(() => store.closeTurn({ ...address, result }));
  session.turnEnded(result.steers ?? []);
  if (CancellationScope.current().consideredCancelled)
    throw new CancelledFailure('The session was cancelled through Temporal');
}

/** A turn's result, whatever became of its workflow: an ended child is an ended turn. */
async function outcomeOf(run: () => Promise<TurnResult>): Promise<TurnOutcome> {
  try {
    return await run();
  } catch (error) {
    if (isCancellation(error)) return { finishReason: 'interrupted', reason: 'cancelled through Temporal' };
    if (!(error instanceof ChildWorkflowFailure)) throw error;
    const message = error.cause?.message ?? error.message;
    return {
      finishReason: 'error',
      error: { code: failure.internal, message: `The turn's workflow ended: ${message}` },
    };
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
