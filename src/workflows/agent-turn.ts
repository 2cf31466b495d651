// Workflow code: the ReAct loop of one turn. Performs what core decides. Imports core, contracts and @temporalio/workflow only.
import {
  ActivityFailure,
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  patched,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { CallChange, GateAnswer } from '../contracts/activities.ts';
import { failure } from '../contracts/failures.ts';
import { sessionWorkflowId } from '../contracts/ids.ts';
import type { Answered, Steer, TurnCall, TurnError, TurnInput, TurnResult } from '../contracts/inputs.ts';
import {
  confirmSignal,
  confirmUpdate,
  externalResultSignal,
  externalResultUpdate,
  inboxSignal,
  interruptSignal,
  interruptUpdate,
  reconcileSignal,
  reconcileUpdate,
  steerSignal,
  steerUpdate,
  turnQuery,
} from '../contracts/messages.ts';
import { searchAttributes } from '../contracts/search-attributes.ts';
import { toActor } from '../core/approval.ts';
import { assertNever } from '../core/assert-never.ts';
import { pauseReason, type NextAction } from '../core/next-action.ts';
import { callModel, runToolsWithin, store } from './activity-proxies.ts';
import { allEnded, runLongTool, runSubagents } from './subagents.ts';
import { readInterrupt, whyNoAnswers, whyNoInput } from './check-message.ts';
import type { Refusal } from './gate-answers.ts';
import { mustRotate } from './must-rotate.ts';
import { describeTurn } from './turn-details.ts';
import { TurnState } from './turn-state.ts';

/** What the store tells of a call its turn knows within this time. */
const learningMs = 2000;

export async function agentTurn(input: TurnInput): Promise<TurnResult> {
  const turn = new TurnState(input);
  turn.canBackground = workflowInfo().parent?.workflowId === sessionWorkflowId(input.ref);
  handleMessages(turn);
  try {
    if (!input.carry) {
      const opened = await store.openTurn({ ...turn.address, inputId: input.inputId, input: input.input });
      if (opened.duplicateOf !== undefined)
        return { ...turn.result('model_stop'), turnId: opened.duplicateOf };
      turn.opened(opened);
    }
    return await loop(turn, input.hasSearchAttributes);
  } catch (error) {
    const turnError = toTurnError(error);
    if (!turnError) throw error;
    turn.fail(turnError);
    return turn.result('error');
  }
}

async function loop(turn: TurnState, hasSearchAttributes: boolean): Promise<TurnResult> {
  for (;;) {
    const action = turn.next();
    setCurrentDetails(describeTurn(turn, action));
    if (action.kind === 'exit') {
      // What it waited for is nobody's business any more.
      if (turn.view.isPaused && hasSearchAttributes) showState('ended', 0);
      return turn.result(action.reason);
    }
    if (mustRotate() && !turn.answers.hasAny) {
      await condition(allHandlersFinished);
      // One that just finished may have brought an answer, or a reason to end.
      if (turn.hasNews) continue;
      await continueAsNew<typeof agentTurn>(turn.rotated());
    }
    switch (action.kind) {
      case 'reason':
      case 'summarize':
        await reason(turn, action);
        break;
      case 'act':
        await announce(turn, action.waiting);
        await act(turn, action.calls, hasSearchAttributes);
        break;
      case 'wait':
        await wait(turn, action.waiting, hasSearchAttributes);
        break;
      default:
        assertNever(action);
    }
  }
}

async function reason(
  turn: TurnState,
  action: Extract<NextAction, { kind: 'reason' | 'summarize' }>,
): Promise<void> {
  const isSummary = action.kind === 'summarize';
  const tools = isSummary ? 'none' : action.mustAnswer ? 'output' : 'auto';
  const step = turn.nextStep;
  const steers = turn.steersForCall();
  const summary = `model ${turn.view.modelName} · step ${step}${isSummary ? ' · summary' : ''}`;
  const digest = await interruptible(turn, () =>
    callModel.executeWithOptions({ summary }, [{ ...turn.address, step, tools, steers, ...turn.output }]),
  );
  if (digest) turn.modelCalled(digest, isSummary, steers);
}

async function act(turn: TurnState, calls: TurnCall[], hasSearchAttributes: boolean): Promise<void> {
  const children = calls.filter(({ child }) => child);
  const long = calls.filter(
    ({ child, backgroundAfterMs }) => !child && backgroundAfterMs !== undefined && turn.canBackground,
  );
  const own = calls.filter((call) => !children.includes(call) && !long.includes(call));
  const changes = await interruptible(turn, () =>
    allEnded([
      ...(own.length > 0 ? [runBatch(turn, own)] : []),
      ...(children.length > 0 ? [runSubagents(turn, children, hasSearchAttributes)] : []),
      ...long.map(async (call) => [await runLongTool(turn, call, hasSearchAttributes)]),
    ]),
  );
  if (changes) turn.callsChanged(changes.flat());
}

function runBatch(turn: TurnState, calls: TurnCall[]): Promise<CallChange[]> {
  const summary = `tool ${calls.map((call) => call.name).join(', ')}`.slice(0, 200);
  const runTools = runToolsWithin(Math.max(...calls.map((call) => call.timeoutMs)));
  const callIds = calls.map((call) => call.callId);
  const { step, requesters } = turn.view;
  return runTools.executeWithOptions({ summary }, [{ ...turn.address, step, callIds, requesters }]);
}

/** Tells observers of gates whose siblings can still run. */
async function announce(turn: TurnState, waiting: TurnCall[]): Promise<void> {
  const callIds = turn.unannounced(waiting);
  if (callIds.length === 0) return;
  await store.openGates({ ...turn.address, run: turn.view.run, callIds });
  turn.gatesOpened(callIds, false, Date.now());
}

async function wait(turn: TurnState, waiting: TurnCall[], hasSearchAttributes: boolean): Promise<void> {
  if (!turn.view.isPaused) {
    const callIds = turn.unannounced(waiting);
    await store.openGates({ ...turn.address, run: turn.view.run, callIds, pause: pauseReason(waiting) });
    turn.gatesOpened(callIds, true, Date.now());
    if (hasSearchAttributes) showState('waiting', waiting.length);
  } else {
    await announce(turn, waiting);
  }
  turn.isAtGate = true;
  const isNews = () => turn.hasNews || mustRotate();
  const { nextDueAt } = turn;
  if (nextDueAt === undefined) await condition(isNews);
  else if (
    !(await condition(isNews, Math.max(1, nextDueAt - Date.now()), { summary: 'deadline of a gate' }))
  ) {
    const notices = turn.deadlinesPassed(Date.now());
    if (notices.length > 0) await store.noticeGates({ ...turn.address, notices });
  }
  turn.isAtGate = false;
  const answers = turn.answers.underWay;
  if (answers.length === 0) return;
  turn.isBusy = true;
  const outcomes = await store.answerGates({
    ...turn.address,
    nextRun: turn.view.run + 1,
    calls: turn.view.calls.map(({ callId, state }) => ({ callId, state })),
    answers,
  });
  turn.isBusy = false;
  turn.answersApplied(answers, outcomes);
  if (hasSearchAttributes && !turn.view.isPaused) showState('running', 0);
}

function showState(state: string, gates: number): void {
  upsertSearchAttributes([
    { key: searchAttributes.state, value: state },
    { key: searchAttributes.gates, value: gates },
  ]);
}

/** Runs a long activity so that an interrupt cancels it; undefined when it was. */
async function interruptible<T>(turn: TurnState, run: () => Promise<T>): Promise<T | undefined> {
  const scope = new CancellationScope();
  turn.onInterrupt = () => scope.cancel();
  turn.isBusy = true;
  try {
    return await scope.run(run);
  } catch (error) {
    // Whatever it ended with: a worker that was lost meanwhile leaves a timeout behind.
    if (turn.isInterrupted && (isCancellation(error) || error instanceof ActivityFailure)) return undefined;
    throw error;
  } finally {
    turn.onInterrupt = undefined;
    turn.isBusy = false;
  }
}

/**
 * The failure of an activity as the turn reports it (a local one surfaces bare); undefined for what is not the turn's to report:
 * cancellation, rotation, bugs.
 */
function toTurnError(error: unknown): TurnError | undefined {
  if (isCancellation(error)) return undefined;
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure)
    return { code: cause.type ?? failure.internal, message: cause.message };
  return error instanceof ActivityFailure
    ? { code: failure.internal, message: cause instanceof Error ? cause.message : error.message }
    : undefined;
}

/** Handlers are in place before the first await, so that no message is lost at the edge of a run. */
function handleMessages(turn: TurnState): void {
  setHandler(turnQuery, () => {
    const { step, run, calls, requesters } = turn.view;
    return { step, run, calls, requesters };
  });
  setHandler(confirmSignal, async (answered) => void (await takeAnswers(turn, 'confirm', answered, false)));
  setHandler(
    externalResultSignal,
    async (answered) => void (await takeAnswers(turn, 'external', answered, false)),
  );
  setHandler(
    reconcileSignal,
    async (answered) => void (await takeAnswers(turn, 'reconcile', answered, false)),
  );
  setHandler(interruptSignal, (interrupt) => turn.interrupt(readInterrupt(interrupt)));
  setHandler(steerSignal, (steer) => takeSteer(turn, steer));
  setHandler(inboxSignal, (messages) => turn.takeMessages(messages));

  const answering = <T extends { callId: string }>(kind: GateAnswer['kind']) => ({
    run: (answered: Answered<T>) => answerAndWait(turn, kind, answered),
    options: { validator: (answered: Answered<T>) => rejectWrong(turn, kind, answered) },
  });
  const confirm = answering('confirm');
  setHandler(confirmUpdate, confirm.run, confirm.options);
  const external = answering('external');
  setHandler(externalResultUpdate, external.run, external.options);
  const reconcile = answering('reconcile');
  setHandler(reconcileUpdate, reconcile.run, reconcile.options);
  setHandler(interruptUpdate, (interrupt) => turn.interrupt(readInterrupt(interrupt)));
  setHandler(
    steerUpdate,
    async (steer) => {
      await takeSteer(turn, steer);
      return { turnId: turn.turnId, status: 'steered' as const };
    },
    { validator: (steer) => rejectIf(refusal(whyNoInput(steer))) },
  );
}

/**
 * Resolves when all that came with the same workflow task is applied. The SDK hands over messages first: after a lost worker an answer may
 * come together with the result of the very step that it answers.
 */
async function caughtUp(): Promise<void> {
  let isApplied = false;
  void Promise.resolve().then(() => (isApplied = true));
  await condition(() => isApplied);
}

/**
 * Takes answers as they fit; `isWhole` rejects where one does not. What the turn is about to learn is waited for: what the store has of a
 * call already, whether an earlier answer to it is refused, a vote that is being committed.
 */
async function takeAnswers<T extends { callId: string }>(
  turn: TurnState,
  kind: GateAnswer['kind'],
  answered: Answered<T>,
  isWhole: boolean,
): Promise<string[]> {
  await caughtUp();
  if (whyNoAnswers(answered) !== undefined) return [];
  const isLearning = () =>
    turn.answers.hasVoteUnderWay(answered) ||
    ((turn.isBusy || turn.answers.hasAny) && turn.answers.whyNotAny(kind, answered) !== undefined);
  const isClear = () => turn.isInterrupted || !isLearning();
  // Others may have been taken since the condition held. And nobody waits for a long activity to hear that an answer is wrong.
  for (let isInTime = true; isInTime && !isClear();) isInTime = await condition(isClear, learningMs);
  if (isWhole) rejectIf(turn.answers.whyNotAny(kind, answered));
  return turn.answers.take(kind, answered);
}

async function takeSteer(turn: TurnState, steer: Steer): Promise<void> {
  const { requesters } = turn.view;
  const mayRefuse = () => patched('refused-denial');
  if (!turn.steer(steer, mayRefuse) || steer.denyPending !== true || !turn.isBusy) return;
  // The gates that its sender saw may be news to the turn.
  await condition(() => turn.isInterrupted || !turn.isBusy, learningMs);
  turn.answers.denyPending(toActor(steer.actor), requesters, mayRefuse);
}

/**
 * Called synchronously by the server's validation: an async validator would reject nothing. While a step runs, or an answer is under way, its
 * result may be part of the same task: then the handler judges, once it has caught up.
 */
function rejectWrong<T extends { callId: string }>(
  turn: TurnState,
  kind: GateAnswer['kind'],
  answered: Answered<T>,
): void {
  const isAtRest = turn.isAtGate && !turn.answers.hasAny;
  rejectIf(
    refusal(whyNoAnswers(answered), failure.unfit) ??
      (isAtRest ? turn.answers.whyNotAny(kind, answered) : undefined),
  );
}

function rejectIf(refused: Refusal | undefined): void {
  if (refused) throw ApplicationFailure.nonRetryable(refused.why, refused.code);
}

function refusal(why: string | undefined, code: Refusal['code'] = failure.rejected): Refusal | undefined {
  return why === undefined ? undefined : { code, why };
}

/** Ends once the answers are committed: with the call ids taken, or the reason why one was not. */
async function answerAndWait<T extends { callId: string }>(
  turn: TurnState,
  kind: GateAnswer['kind'],
  answered: Answered<T>,
): Promise<string[]> {
  const taken = await takeAnswers(turn, kind, answered, true);
  await condition(
    () => turn.isInterrupted || taken.every((callId) => turn.answers.outcomeOf(callId) !== undefined),
  );
  if (taken.some((callId) => turn.answers.outcomeOf(callId) === undefined))
    rejectIf(refusal(`turn ${turn.turnId} was interrupted before the answer was taken`));
  const outcome = taken
    .map((callId) => turn.answers.outcomeOf(callId))
    .find((one) => one?.rejected !== undefined);
  rejectIf(refusal(outcome?.rejected, outcome?.isUnfit ? failure.unfit : failure.rejected));
  return taken;
}
