import type { SessionRef } from '../contracts/ids.ts';
import type { EventBody } from '../schema/event.ts';
import type { Store } from '../store/store.ts';

export const backgroundSlot = 'background';

export type TaskState = Extract<EventBody, { kind: 'background_task' }>['state'];

/** A call that went on in the background. */
export interface BackgroundTask {
  taskId: string;
  name: string;
  state: TaskState;
  turn: number;
  startedAt: string;
  endedAt?: string;
  /** Of a subagent: where it works. */
  taskSessionId?: string;
  /** Who wrote into the turn that began it. */
  requesters?: { known: string[]; hasUnknown: boolean };
  /** Its session was told what it came to. */
  isTold?: boolean;
}

export type TaskRegistry = Record<string, Omit<BackgroundTask, 'taskId'>>;

/** It runs, or nobody has told its session what it came to. */
export function isUnsettled({ state, isTold }: BackgroundTask): boolean {
  return state === 'running' || isTold !== true;
}

/** The background tasks of a session, oldest first. */
export async function readTasks(store: Pick<Store, 'slots'>, ref: SessionRef): Promise<BackgroundTask[]> {
  const registry = (await store.slots.get(ref, backgroundSlot)) as TaskRegistry | undefined;
  return Object.entries(registry ?? {}).map(([taskId, entry]) => ({ taskId, ...entry }));
}
