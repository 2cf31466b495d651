import type { FinishReason } from '../schema/message.ts';
import { planBatches } from './tool-batch.ts';

/**
 * `pending` waits for its batch, `allowed` may run, the next four wait at a gate (`held` for the answer to a sibling that may settle it too),
 * the rest have their result.
 */
export type CallState =
  | 'pending'
  | 'allowed'
  | 'asking'
  | 'held'
  | 'submitted'
  | 'uncertain'
  | 'success'
  | 'error'
  | 'denied'
  | 'interrupted';

/** What the loop knows of one call of the current step. All else stays in the store. */
export interface LoopCall {
  callId: string;
  state: CallState;
  concurrencySafe: boolean;
  returnDirect: boolean;
}

/** What the last model call came to: `none` before the first, `calls` when it proposed some, `empty` when it said nothing visible. */
export type Reply = 'none' | 'calls' | 'text' | 'empty' | 'structured';

/** All that the loop decides on. */
export interface LoopState {
  /** Model calls so far, the summarizing one not counted. */
  iterations: number;
  maxIterations: number;
  reply: Reply;
  calls: readonly LoopCall[];
  /** User messages that wait to be taken in. */
  hasSteers: boolean;
  /** The summarizing call has been made. */
  isSummarized: boolean;
  /** The turn must end with an answer in the form that its submitter wants. */
  needsOutput?: boolean;
  /** Ends the turn when every call of a message was denied. */
  stopsWhenAllDenied?: boolean;
  /** No model call may follow: the tokens that the turn may use are used up. */
  isOverBudget?: boolean;
  /** Set by an interrupt, a policy or a failure: the loop ends with it once no call runs. */
  stopReason?: FinishReason;
}

/** Model calls beyond the limit for an answer in the wanted form. */
const graceIterations = 3;

export type NextAction<C extends LoopCall = LoopCall> =
  /** `mustAnswer`: nothing is allowed any more but the answer in the wanted form. */
  | { kind: 'reason'; mustAnswer?: true }
  /** One last model call without tools, because the iterations are used up. */
  | { kind: 'summarize' }
  /** `waiting` are calls of the same batch that wait at a gate meanwhile. */
  | { kind: 'act'; calls: C[]; waiting: C[] }
  | { kind: 'wait'; waiting: C[] }
  | { kind: 'exit'; reason: FinishReason };

/** The loop's only decision: total, pure, and the same for the same state. */
export function nextAction<C extends LoopCall>(
  state: Omit<LoopState, 'calls'> & { calls: readonly C[] },
): NextAction<C> {
  if (state.stopReason) return { kind: 'exit', reason: state.stopReason };
  const action = nextStep(state);
  const isModelCall = action.kind === 'reason' || action.kind === 'summarize';
  return isModelCall && state.isOverBudget ? { kind: 'exit', reason: 'budget_exceeded' } : action;
}

function nextStep<C extends LoopCall>(
  state: Omit<LoopState, 'calls'> & { calls: readonly C[] },
): NextAction<C> {
  const batch = currentBatch(state.calls);
  if (batch) {
    const calls = batch.filter(isExecutable);
    const waiting = batch.filter(isWaiting);
    return calls.length > 0 ? { kind: 'act', calls, waiting } : { kind: 'wait', waiting };
  }

  if (
    state.stopsWhenAllDenied &&
    state.calls.length > 0 &&
    state.calls.every((call) => call.state === 'denied')
  )
    return { kind: 'exit', reason: 'acting_stop_requested' };
  if (state.hasSteers && state.iterations < state.maxIterations) return { kind: 'reason' };
  if (isReturnedDirectly(state)) return { kind: 'exit', reason: 'tool_return_direct' };
  if (state.reply === 'structured') return { kind: 'exit', reason: 'structured_output' };
  if (state.isSummarized) return { kind: 'exit', reason: 'max_iterations' };
  if (state.needsOutput) return askForOutput(state);
  if (state.reply === 'text') return { kind: 'exit', reason: 'model_stop' };
  if (state.iterations >= state.maxIterations) return { kind: 'summarize' };
  return { kind: 'reason' };
}

/** A model that was told what form its answer must have may need to be told again, and at the limit gets some tries at the answer alone. */
function askForOutput({ iterations, maxIterations }: Pick<LoopState, 'iterations' | 'maxIterations'>) {
  if (iterations < maxIterations) return { kind: 'reason' as const };
  if (iterations < maxIterations + graceIterations)
    return { kind: 'reason' as const, mustAnswer: true as const };
  return { kind: 'exit' as const, reason: 'max_iterations' as const };
}

/** The first batch in which something is left to do. */
export function currentBatch<C extends Pick<LoopCall, 'state' | 'concurrencySafe'>>(
  calls: readonly C[],
): C[] | undefined {
  return planBatches(calls).find((batch) => !batch.every(isSettled));
}

export function isSettled(call: Pick<LoopCall, 'state'>): boolean {
  return !isExecutable(call) && !isWaiting(call);
}

export function isWaiting(call: Pick<LoopCall, 'state'>): boolean {
  return (
    call.state === 'asking' ||
    call.state === 'held' ||
    call.state === 'submitted' ||
    call.state === 'uncertain'
  );
}

export function isExecutable(call: Pick<LoopCall, 'state'>): boolean {
  return call.state === 'pending' || call.state === 'allowed';
}

/** The turn ends with the tools' own words only when every call of the step declares it and all went well. */
function isReturnedDirectly(state: Pick<LoopState, 'reply' | 'calls'>): boolean {
  return (
    state.reply === 'calls' &&
    state.calls.length > 0 &&
    state.calls.every((call) => call.returnDirect && call.state === 'success')
  );
}

/** The reason with which a run pauses at these gates. */
export function pauseReason(calls: readonly Pick<LoopCall, 'state'>[]): FinishReason {
  return calls.some((call) => call.state === 'asking' || call.state === 'held')
    ? 'permission_asking'
    : 'tool_suspended';
}
