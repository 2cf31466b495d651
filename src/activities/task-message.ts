import type { SessionRef } from '../contracts/ids.ts';
import type { Delivery } from '../inbox/deliver.ts';
import type { Store } from '../store/store.ts';
import { readTasks } from '../tasks/background-slot.ts';
import type { ToolPart } from '../tools/tool.ts';
import { readTaskResult } from './task-registry.ts';

/** Characters of a result that come with the message; the rest is read with task_result. */
const longestText = 50_000;

/** What a session is told of a task of it that has ended; undefined when the task is unknown. */
export async function taskMessage(
  store: Store,
  ref: SessionRef,
  taskId: string,
): Promise<Delivery['message'] | undefined> {
  const task = (await readTasks(store, ref)).find((one) => one.taskId === taskId);
  if (!task) return undefined;
  const parts = (await readTaskResult(store, ref, taskId)) ?? [];
  const text = `Task ${taskId} (${task.name}) ${task.state}.\n${shown(parts)}`.trim();
  const { name, requesters } = task;
  return { id: `task:${taskId}`, kind: 'task', from: { name }, text, ...(requesters ? { requesters } : {}) };
}

function shown(parts: readonly ToolPart[]): string {
  const text = parts
    .map((part) => (part.type === 'text' ? part.text : `[${part.name ?? part.mediaType}]`))
    .join('\n');
  const isWhole = text.length <= longestText && parts.every(({ type }) => type === 'text');
  const rest = isWhole ? '' : '\n(This is not all of it: task_result has the whole.)';
  return text.slice(0, longestText) + rest;
}
