import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { failure } from '../contracts/failures.ts';
import { isWorkflowOpen } from '../inbox/is-open.ts';
import { grpcCode, isLate, isNotFound, isPassing } from '../inbox/temporal-failures.ts';
import { DurascopeError } from './durascope-error.ts';
import type { ClientContext } from './temporal-client.ts';

/** How long an answer of a workflow is waited for: without a worker there is none. */
const answerMs = 30_000;
const attempts = 5;
const refusals = new Set<string>([failure.rejected, failure.unfit, failure.forbidden]);

/**
 * Runs a call of the Temporal client, and tells its failures apart: what the workflow rejected, what nobody answered, what is not there.
 * A workflow that returned or rotated just as the message came in is met again by another attempt.
 */
export async function callTemporal<T>({ temporal }: ClientContext, call: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + answerMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await temporal.connection.withDeadline(deadline, call);
    } catch (error) {
      if (isRejection(error)) throw rejection(error);
      if (isNotFound(error) && !isRace(error)) throw error;
      if (!isRace(error) || attempt >= attempts) throw unavailable(error);
      await sleep(20 * 2 ** attempt);
    }
  }
}

/** False for a workflow that has ended; a turn may have been ended from outside, which the store learns with the session's next input. */
export function isOpen(context: ClientContext, workflowId: string): Promise<boolean> {
  return callTemporal(context, () => isWorkflowOpen(context.temporal, workflowId));
}

/** An update that was admitted by a run which then ended: the server says so in several ways. */
function isRace(error: unknown): boolean {
  return isPassing(error) || (error instanceof WorkflowUpdateFailedError && !isRejection(error));
}

function isRejection(error: unknown): error is WorkflowUpdateFailedError & { cause: ApplicationFailure } {
  return (
    error instanceof WorkflowUpdateFailedError &&
    error.cause instanceof ApplicationFailure &&
    refusals.has(error.cause.type ?? '')
  );
}

function rejection(error: { cause: ApplicationFailure }): DurascopeError {
  const { message, type } = error.cause;
  if (type === failure.forbidden) return new DurascopeError('forbidden', message, { cause: error });
  if (type === failure.unfit) return new DurascopeError('unfit_answer', message, { cause: error });
  return new DurascopeError(/ is busy with /.test(message) ? 'busy' : 'conflict', message, { cause: error });
}

function unavailable(error: unknown): unknown {
  if (isLate(error))
    return new DurascopeError(
      'no_worker',
      `No worker answered within ${answerMs / 1000} s: start one with "durascope worker", and repeat with the same idempotency key`,
      { cause: error },
    );
  if (grpcCode(error) !== undefined)
    return new DurascopeError('temporal_unavailable', `Temporal did not take the call: ${String(error)}`, {
      cause: error,
    });
  return error;
}
