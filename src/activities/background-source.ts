import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { z } from 'zod';
import type { Agent } from '../agents/agent.ts';
import type { SessionRef } from '../contracts/ids.ts';
import { interruptSignal } from '../contracts/messages.ts';
import { taskWorkflowId } from '../contracts/tasks.ts';
import { isNotFound } from '../inbox/temporal-failures.ts';
import type { Store } from '../store/store.ts';
import { readTasks, type BackgroundTask } from '../tasks/background-slot.ts';
import { defineTool } from '../tools/define-tool.ts';
import type { ToolSource } from '../tools/tool-source.ts';
import type { Tool, ToolPart } from '../tools/tool.ts';
import { readTaskResult } from './task-registry.ts';

/** True for an agent some of whose calls may go on in the background. */
export function hasBackground(agent: Agent): boolean {
  const tools = [...agent.tools, ...Object.values(agent.toolGroups).flatMap(({ tools = [] }) => tools)];
  return tools.some(
    ({ subagent, backgroundAfterMs }) =>
      backgroundAfterMs !== undefined || (subagent !== undefined && subagent.mode !== 'blocking'),
  );
}

/** Tools with which a model looks after what goes on in the background. */
export function backgroundSource(store: Store, agent: Agent): ToolSource {
  const tools = backgroundTools(store).filter(({ name }) => name !== 'task_list' || !agent.hasTasks);
  return { name: 'background', load: async () => ({ tools }) };
}

/** The tasks of a session as a model reads them; undefined when there are none. */
export async function describeTasks(store: Store, ref: SessionRef): Promise<string | undefined> {
  const tasks = await readTasks(store, ref);
  return tasks.length === 0 ? undefined : `Background tasks:\n${tasks.map(asLine).join('\n')}`;
}

function backgroundTools(store: Store): Tool[] {
  const find = async (ref: SessionRef, taskId: string): Promise<BackgroundTask> => {
    const tasks = await readTasks(store, ref);
    const task = tasks.find((one) => one.taskId === taskId);
    if (task) return task;
    const known = tasks.map((one) => one.taskId).join(', ') || 'none';
    throw new Error(`there is no task ${taskId}; the tasks are: ${known}`);
  };
  const taskId = z.string().describe('As the call that began it told');
  return [
    defineTool({
      name: 'task_list',
      description: 'List what goes on in the background, and what has ended there.',
      input: z.object({}),
      readOnly: true,
      execute: async (_, { owner, sessionId }) =>
        (await describeTasks(store, { owner, sessionId })) ?? 'Nothing goes on in the background.',
    }),
    defineTool({
      name: 'task_status',
      description:
        'Tell how a background task is. Its end is told to you by a message: do not ask again and again.',
      input: z.object({ taskId }),
      readOnly: true,
      execute: async ({ taskId }, { owner, sessionId }) => asLine(await find({ owner, sessionId }, taskId)),
    }),
    defineTool({
      name: 'task_result',
      description: 'Read the whole result of a background task that has ended.',
      input: z.object({ taskId }),
      readOnly: true,
      async execute({ taskId }, { owner, sessionId }) {
        const ref = { owner, sessionId };
        const task = await find(ref, taskId);
        if (task.state === 'running') return `${asLine(task)}. It has no result yet.`;
        return { parts: ((await readTaskResult(store, ref, taskId)) ?? []) satisfies ToolPart[] };
      },
    }),
    defineTool({
      name: 'task_cancel',
      description: 'Stop a background task. What it came to by then is told to you by a message.',
      input: z.object({ taskId, reason: z.string().optional() }),
      permission: 'allow',
      idempotent: true,
      async execute({ taskId, reason }, { owner, sessionId }) {
        const ref = { owner, sessionId };
        const task = await find(ref, taskId);
        if (task.state !== 'running') return `${asLine(task)}: there is nothing to stop.`;
        await interruptTask(Context.current().client, ref, taskId, reason ?? 'cancelled by the agent');
        return `${task.name} is told to stop.`;
      },
    }),
  ];
}

/** Stops all that a session has in the background. */
export async function interruptTasks(
  client: Client,
  store: Store,
  ref: SessionRef,
  reason: string,
): Promise<void> {
  for (const { taskId, state } of await readTasks(store, ref))
    if (state === 'running') await interruptTask(client, ref, taskId, reason);
}

async function interruptTask(client: Client, ref: SessionRef, taskId: string, reason: string): Promise<void> {
  try {
    await client.workflow.getHandle(taskWorkflowId(ref, taskId)).signal(interruptSignal, { reason });
  } catch (error) {
    // It has just ended, or was ended from outside, which the session notices by itself.
    if (!isNotFound(error)) throw error;
  }
}

function asLine({ taskId, name, state, startedAt, endedAt }: BackgroundTask): string {
  const end = endedAt === undefined ? '' : `, ended ${endedAt}`;
  return `${taskId} ${name}: ${state} (began ${startedAt}${end})`;
}
