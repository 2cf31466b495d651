// Workflow code: the entity of one session. Owns the inbox, runs turns one at a time. Imports contracts and @temporalio/workflow only.
import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  ChildWorkflowCancellationType,
  condition,
  continueAsNew,
  isCancellation,
  log,
  ParentClosePolicy,
  patched,
  setCurrentDetails,
  setHandler,
  startChild,
  upsertSearchAttributes,
  uuid4,
} from '@temporalio/workflow';
import { failure } from '../contracts/failures.ts';
import { turnIdOf } from '../contracts/ids.ts';
import type { Interrupt, SessionInput, Steer, Submission, TurnOutcome } from '../contracts/inputs.ts';
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
  takenQuery,
  turnEndedSignal,
  type SubmitAnswer,
} from '../contracts/messages.ts';
import { lookAfter, store } from './activity-proxies.ts';
import { agentTurn } from './agent-turn.ts';
import { readInterrupt, whyNoInput } from './check-message.ts';
import { foundBy, runningAttributes, sessionAttributes } from './child-attributes.ts';
import { mustRotate } from './must-rotate.ts';
import { outcomeOf } from './turn-outcome.ts';
import { handingOver, handleInbox } from './session-inbox.ts';
import { SessionState } from './session-state.ts';
import { concludeTurn, handleTeamMessages } from './team.ts';
import { forward, route, signalTurn } from './turn-signals.ts';

export async function agentSession(input: SessionInput): Promise<void> {
  const session = new SessionState(input);
  handleMessages(session);
  try {
    if (!session.isLoaded) {
      await load(input, session);
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

async function load({ ref, agent, mustExist = false }: SessionInput, session: SessionState): Promise<void> {
  const { leftTurn, ...snapshot } = await store.loadSession({ ref, agent, mustExist });
  session.load(snapshot);
  if (leftTurn !== undefined) await session.concluding(() => concludeTurn(session, leftTurn, undefined));
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
    if (!session.isEnding) {
      const isCalled = () => session.hasWork || session.isEnding || mustRotate();
      if (await condition(isCalled, session.restMs)) continue;
      if (session.isWatching) {
        await look(session);
        if (session.isWatching) continue;
      }
    }
    await condition(allHandlersFinished);
    if (session.hasWork) continue;
    if (session.isEnding || !patched('release')) return;
    session.unload();
    await store.releaseSession({ ref: input.ref });
    // Nothing is awaited between this check and the return; the server refuses the return when a signal slipped in after it.
    if (allHandlersFinished()) return;
    await load(input, session);
  }
}

/** A failure to find out is none of the session's: another look follows. */
async function look(session: SessionState): Promise<void> {
  try {
    session.hasLooked(
      await lookAfter.executeWithOptions({ summary: 'what goes on' }, [{ ref: session.ref }]),
    );
  } catch (error) {
    if (isCancellation(error)) throw error;
    session.hasLooked(true);
  }
}

async function runTurn(
  input: SessionInput,
  session: SessionState,
  { messages, withdrawn, ...next }: NonNullable<ReturnType<SessionState['startNext']>>,
): Promise<void> {
  const address = { ref: input.ref, agent: input.agent, ...next };
  const { hasSearchAttributes } = session.settings;
  const turnId = turnIdOf(input.ref, next.turn);
  const run = async () => {
    const turn = await startChild(agentTurn, {
      workflowId: turnId,
      args: [{ ...address, ...(messages ? { messages } : {}), hasSearchAttributes }],
      staticSummary: `${input.agent} · turn ${next.turn} of ${input.ref.sessionId}`,
      // A turn never outlives its session's run: two turns of one session must not run at once.
      parentClosePolicy: ParentClosePolicy.TERMINATE,
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      ...foundBy(hasSearchAttributes, runningAttributes(input)),
    });
    session.turnBegan();
    return handingOver(session, turnId, turn.result());
  };
  const result: TurnOutcome =
    withdrawn === undefined
      ? await outcomeOf(run)
      : { turnId, finishReason: 'interrupted', reason: withdrawn };
  await CancellationScope.nonCancellable(async () => {
    session.hasBegun(await store.closeTurn({ ...address, result }));
    if (next.replyTo === undefined) return;
    const { requesters } = result;
    await signalTurn(next.replyTo, turnEndedSignal(next.inputId), {
      turnId: result.turnId ?? turnId,
      ...(requesters ? { requesters } : {}),
    });
  });
  const late = result.turnId === undefined ? undefined : (result.steers ?? []);
  const { hadMessages } = session.turnEnded(late);
  if (hadMessages) await session.concluding(() => concludeTurn(session, next.turn, result.requesters));
  if (CancellationScope.current().consideredCancelled)
    throw new CancelledFailure('The session was cancelled through Temporal');
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
  setHandler(takenQuery, (inputId) => session.turnOfInput(inputId));
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
  handleInbox(session);
  handleTeamMessages(session, (reason) => forward(session, interruptSignal, { reason }));
  setHandler(interruptSignal, (sent) => interrupt(session, sent ?? {}));
  setHandler(interruptUpdate, (sent) => interrupt(session, sent));
  setHandler(confirmSignal, (answered) => route(session, confirmSignal, answered));
  setHandler(externalResultSignal, (answered) => route(session, externalResultSignal, answered));
  setHandler(reconcileSignal, (answered) => route(session, reconcileSignal, answered));
}

async function interrupt(session: SessionState, sent: Interrupt): Promise<void> {
  const { turnId, reason = 'interrupted' } = readInterrupt(sent);
  // One that comes while a turn is about to begin is meant for it.
  if (session.isBeginning && patched('early-interrupt')) await condition(() => !session.isBeginning);
  if (turnId === undefined) return forward(session, interruptSignal, sent);
  await condition(() => session.isLoaded);
  if (turnId === session.runningTurnId) return forward(session, interruptSignal, sent);
  session.withdraw(turnId, reason);
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
