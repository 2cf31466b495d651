import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';

/** How often the server hears of a long activity, and the activity of its cancellation. The worker must not throttle below this. */
export const heartbeatMs = 500;

/** Heartbeats on a timer while `run` runs, so that a cancellation arrives even when nothing else happens. */
export async function whileBeating<T>(
  progress: () => unknown,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  const beat = setInterval(() => context.heartbeat(progress()), heartbeatMs);
  try {
    return await run(context.cancellationSignal);
  } finally {
    clearInterval(beat);
  }
}

/** True when the workflow asked for the stop: an interrupt or a cancellation, to be answered by committing what there is. */
export function isCancelRequested(): boolean {
  return Context.current().cancellationDetails?.cancelRequested === true;
}

/**
 * What an activity throws when its signal aborted. Only a requested stop may count as cancelled: after a shutdown, a timeout or a reset
 * another attempt has to go on.
 */
export function stopFailure(): Error {
  if (isCancelRequested()) return new CancelledFailure('The turn asked for the stop');
  return ApplicationFailure.create({
    message: 'The worker stops: another attempt goes on',
    type: 'WorkerShutdown',
    nonRetryable: false,
    category: 'BENIGN',
  });
}
