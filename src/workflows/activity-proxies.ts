// Workflow code: the one place where activities are proxied. Imports contracts and @temporalio/workflow only.
import { ActivityCancellationType, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { InboxActivities, StepActivities, StoreActivities } from '../contracts/activities.ts';
import type { CleanUpActivities } from '../contracts/clean-up.ts';
import type { ChildTurnActivities, SubmitActivities } from '../contracts/child-turns.ts';
import type { ReminderActivities } from '../contracts/reminders.ts';
import type { FlowActivities } from '../contracts/flow.ts';
import type { TaskActivities, TaskStoreActivities } from '../contracts/tasks.ts';
import { failure } from '../contracts/failures.ts';

const never = [failure.agentNotFound, failure.inputNotFound, failure.tooLarge, failure.rejected];

/** Short store writes. They try again for as long as the store is away; long waits are timers, so that no workflow task is held. */
const shortWrite = {
  startToCloseTimeout: '10s',
  localRetryThreshold: '2s',
  retry: {
    initialInterval: '200ms',
    backoffCoefficient: 2,
    maximumInterval: '30s',
    nonRetryableErrorTypes: never,
  },
} as const;

export const store = proxyLocalActivities<StoreActivities>(shortWrite);

/** Store writes around a turn that a workflow runs itself. */
export const childTurns = proxyLocalActivities<ChildTurnActivities>(shortWrite);

export const { listItems } = proxyLocalActivities<FlowActivities>(shortWrite);

export const taskStore = proxyLocalActivities<TaskStoreActivities>(shortWrite);

/** Until the session has taken the message. */
export const { deliverTask } = proxyActivities<TaskActivities>({
  startToCloseTimeout: '1m',
  retry: { initialInterval: '500ms', maximumInterval: '1m', nonRetryableErrorTypes: never },
});

/** Tried until the session has the message. */
export const { wakeSession } = proxyActivities<ReminderActivities>({
  startToCloseTimeout: '1m',
  retry: { initialInterval: '1s', maximumInterval: '5m', nonRetryableErrorTypes: never },
});

/** A disk that is full for an hour is no reason to keep an erased session's files. */
export const { removeKept } = proxyActivities<CleanUpActivities>({
  startToCloseTimeout: '5m',
  retry: { initialInterval: '1s', maximumInterval: '1h', maximumAttempts: 40, nonRetryableErrorTypes: never },
});

/** Reaches a session through Temporal: tried until a worker answers for it. */
export const { submitTurn } = proxyActivities<SubmitActivities>({
  startToCloseTimeout: '1m',
  retry: { initialInterval: '500ms', maximumInterval: '30s', nonRetryableErrorTypes: never },
});

const longActivity = {
  /** A worker that dies is noticed after this. */
  heartbeatTimeout: '10s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: {
    initialInterval: '500ms',
    backoffCoefficient: 2,
    maximumInterval: '30s',
    nonRetryableErrorTypes: never,
  },
} as const;

/** Model calls keep their own time limits; this one only ends what escaped them. The activity itself decides which failure is final. */
export const { callModel } = proxyActivities<StepActivities>({ ...longActivity, startToCloseTimeout: '1h' });

/** A sender's session waits for the end of it, so that its messages stay in order. The activity itself decides what is tried again. */
export const { deliverMessage, lookAfter } = proxyActivities<InboxActivities>({
  startToCloseTimeout: '1m',
  retry: {
    initialInterval: '500ms',
    backoffCoefficient: 2,
    maximumInterval: '1m',
    nonRetryableErrorTypes: never,
  },
});

/** `timeoutMs` is the longest limit among the calls of the batch, which the activity itself enforces. */
export function runToolsWithin(timeoutMs: number) {
  return proxyActivities<StepActivities>({
    ...longActivity,
    startToCloseTimeout: timeoutMs + 60_000,
  }).runTools;
}

export function runTaskWithin(timeoutMs: number) {
  return proxyActivities<TaskActivities>({
    ...longActivity,
    startToCloseTimeout: timeoutMs + 60_000,
  }).runTask;
}
