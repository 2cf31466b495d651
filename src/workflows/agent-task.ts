// Workflow code: what goes on in the background. It records what the work came to, whatever happens, and tells the session that began it.
// Imports contracts and @temporalio/workflow only.
import {
  ActivityFailure,
  CancellationScope,
  isCancellation,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { CallChange } from '../contracts/activities.ts';
import { interruptSignal } from '../contracts/messages.ts';
import type { EndedTask, TaskInput } from '../contracts/tasks.ts';
import { deliverTask, runTaskWithin, taskStore } from './activity-proxies.ts';
import { readInterrupt } from './check-message.ts';
import { runChildTurn } from './child-workflows.ts';
import { outcomeOf } from './turn-outcome.ts';

export async function agentTask(input: TaskInput): Promise<CallChange> {
  const scope = new CancellationScope();
  let reason: string | undefined;
  setHandler(interruptSignal, (interrupt) => {
    reason ??= readInterrupt(interrupt).reason ?? 'cancelled';
    scope.cancel();
  });
  const { ref, turn, agent, callId } = input;
  const address = { ref, turn, agent, callId };
  const ended = await scope
    .run(() => work(input, () => reason))
    .catch((error: unknown) => {
      const isCancelled = isCancellation(error);
      const why = isCancelled ? (reason ?? 'it was cancelled through Temporal') : whyOf(error);
      return CancellationScope.nonCancellable(() => taskStore.endTask({ ...address, why, isCancelled }));
    });
  if (ended.isLate) {
    setCurrentDetails(`Ended: ${ended.change.state}. Telling session ${ref.sessionId}`);
    await CancellationScope.nonCancellable(() => deliverTask(address));
  }
  return ended.change;
}

async function work(input: TaskInput, reason: () => string | undefined): Promise<EndedTask> {
  const { ref, turn, agent, callId, name, work, requesters } = input;
  const address = { ref, turn, agent, callId };
  if (work.kind === 'tool')
    return runTaskWithin(work.timeoutMs).executeWithOptions({ summary: `tool ${name}` }, [
      { ...address, step: work.step, ...(requesters ? { requesters } : {}) },
    ]);
  const { child } = work;
  const result = await outcomeOf(() =>
    runChildTurn(
      child,
      input.hasSearchAttributes,
      () => reason() ?? 'its task was cancelled through Temporal',
    ),
  );
  return CancellationScope.nonCancellable(() => taskStore.closeTask({ ...address, child, result }));
}

function whyOf(error: unknown): string {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
