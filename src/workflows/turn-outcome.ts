// Workflow code: what became of a turn that ran as a child. Imports contracts and @temporalio/workflow only.
import { ChildWorkflowFailure, isCancellation } from '@temporalio/workflow';
import { failure } from '../contracts/failures.ts';
import type { TurnOutcome, TurnResult } from '../contracts/inputs.ts';

/** A turn's result, whatever became of its workflow: an ended child is an ended turn. */
export async function outcomeOf(run: () => Promise<TurnResult>): Promise<TurnOutcome> {
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
