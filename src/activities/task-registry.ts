import type { CallChange } from '../contracts/activities.ts';
import type { EndedTask } from '../contracts/tasks.ts';
import type { SessionRef } from '../contracts/ids.ts';
import { resultMessageId } from '../core/message-ids.ts';
import type { EventBody } from '../schema/event.ts';
import type { CallRecord } from '../store/call-store.ts';
import type { Store } from '../store/store.ts';
import {
  backgroundSlot,
  type BackgroundTask,
  type TaskRegistry,
  type TaskState,
} from '../tasks/background-slot.ts';
import type { ToolOutcome, ToolPart } from '../tools/tool.ts';
import { resultMessage, textOutcome } from './result-message.ts';

/** Ended ones that a session remembers. */
const rememberedTasks = 100;

/** Settles a call with the word that it goes on, unless it has its result. */
export async function moveToBackground(
  store: Store,
  ref: SessionRef,
  call: CallRecord,
  about: Pick<BackgroundTask, 'taskSessionId' | 'requesters'>,
): Promise<CallChange> {
  const { callId, name, turn } = call;
  // Before the call is settled, so that whoever finds it settled finds the task.
  await change(store, ref, callId, (now) =>
    now
      ? undefined
      : {
          name,
          state: 'running',
          turn,
          startedAt: new Date().toISOString(),
          ...about,
        },
  );
  const moved = movedOutcome(call);
  const settled = await store.calls.settle(ref, callId, resultMessage(call, moved));
  if (!(await isResult(store, ref, call, moved))) await forget(store, ref, callId);
  return toChange(settled);
}

/** Commits what a call came to: as its result while it has none, else as what its task came to. */
export async function settleOrRecord(
  store: Store,
  ref: SessionRef,
  call: CallRecord,
  outcome: ToolOutcome,
  ended: TaskState = stateOf(outcome),
): Promise<EndedTask> {
  const { usage } = outcome;
  const message = resultMessage(call, outcome);
  const change = toChange(await store.calls.settle(ref, call.callId, message, usage ? { usage } : {}));
  if (await isResult(store, ref, call, outcome)) {
    await forget(store, ref, call.callId);
    return { change, isLate: false };
  }
  await record(store, ref, call, outcome, ended);
  return { change, isLate: true };
}

/** The parts of a task's result; undefined while it has none. */
export async function readTaskResult(
  store: Store,
  ref: SessionRef,
  taskId: string,
): Promise<ToolPart[] | undefined> {
  return (await store.blobs.get(ref, resultBlob(taskId))) as ToolPart[] | undefined;
}

/** What a task streams goes under this id once its call is settled. */
export function taskMessageId(taskId: string): string {
  return `task/${taskId}`;
}

export function toChange({ callId, state, reason, usage }: CallRecord): CallChange {
  return { callId, state, ...(reason === undefined ? {} : { reason }), ...(usage ? { usage } : {}) };
}

export async function markTold(store: Store, ref: SessionRef, taskId: string): Promise<void> {
  await store.slots.update(ref, backgroundSlot, (value) => {
    const registry = (value ?? {}) as TaskRegistry;
    const task = registry[taskId];
    if (!task || task.isTold) return { value };
    return { value: { ...registry, [taskId]: { ...task, isTold: true } } };
  });
}

/** A task that is over stays as it ended. */
async function record(
  store: Store,
  ref: SessionRef,
  call: CallRecord,
  outcome: ToolOutcome,
  ended: TaskState,
): Promise<void> {
  const { callId, name, turn } = call;
  await store.blobs.put(ref, resultBlob(callId), outcome.parts);
  const at = new Date().toISOString();
  await change(store, ref, callId, (now) =>
    now && now.state !== 'running'
      ? undefined
      : { ...(now ?? { name, turn, startedAt: at }), state: ended, endedAt: at },
  );
}

/** Changes one task, and tells of it; `undefined` leaves it as it is. */
async function change(
  store: Store,
  ref: SessionRef,
  taskId: string,
  to: (now: TaskRegistry[string] | undefined) => TaskRegistry[string] | undefined,
): Promise<void> {
  await store.slots.update(ref, backgroundSlot, (value) => {
    const registry = (value ?? {}) as TaskRegistry;
    const entry = to(registry[taskId]);
    if (!entry) return { value };
    const { name, state, turn, taskSessionId } = entry;
    return {
      value: withinLimit({ ...registry, [taskId]: entry }),
      events: { turn, bodies: [taskEvent({ taskId, name, state, taskSessionId })] },
      ...(state === 'running' ? {} : { forgets: taskMessageId(taskId) }),
    };
  });
}

/** It had its result before it was moved: it is no task. */
async function forget(store: Store, ref: SessionRef, taskId: string): Promise<void> {
  await store.slots.update(ref, backgroundSlot, (value) => {
    const { [taskId]: task, ...rest } = (value ?? {}) as TaskRegistry;
    if (!task) return { value };
    const { name, turn, taskSessionId } = task;
    return {
      value: rest,
      events: { turn, bodies: [taskEvent({ taskId, name, state: 'completed', taskSessionId })] },
      forgets: taskMessageId(taskId),
    };
  });
}

function taskEvent({
  taskId,
  name,
  state,
  taskSessionId,
}: Pick<BackgroundTask, 'taskId' | 'name' | 'state'> & { taskSessionId: string | undefined }): EventBody {
  return {
    kind: 'background_task',
    callId: taskId,
    name,
    state,
    ...(taskSessionId === undefined ? {} : { taskSessionId }),
  };
}

function withinLimit(registry: TaskRegistry): TaskRegistry {
  const ended = Object.keys(registry).filter((taskId) => registry[taskId]?.state !== 'running');
  const tooMany = new Set(ended.slice(0, Math.max(0, ended.length - rememberedTasks)));
  return Object.fromEntries(Object.entries(registry).filter(([taskId]) => !tooMany.has(taskId)));
}

async function isResult(
  store: Store,
  ref: SessionRef,
  call: CallRecord,
  outcome: ToolOutcome,
): Promise<boolean> {
  const committed = await store.messages.get(ref, resultMessageId(call.turn, call.step, call.callId));
  return JSON.stringify(committed?.content) === JSON.stringify(resultMessage(call, outcome).content);
}

function movedOutcome({ callId, name }: CallRecord): ToolOutcome {
  return textOutcome(
    'success',
    `${name} goes on in the background as task ${callId}. What it comes to is told to you by a message: go on with other work, or end your turn. task_status shows how it is, task_cancel stops it.`,
  );
}

function resultBlob(taskId: string): string {
  return `task/${taskId}`;
}

function stateOf({ state }: ToolOutcome): TaskState {
  switch (state) {
    case 'success':
      return 'completed';
    case 'interrupted':
      return 'cancelled';
    default:
      return 'failed';
  }
}
